import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../test-api.ts';

test('each type that can be started, with the variables that its template needs', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const types = (await api.inject(await api.createUser(), { url: '/agent-types' })).json();
  const variables = types.map((type: { role: string; requiredVariables: string[] }) => [
    type.role,
    type.requiredVariables,
  ]);
  expect(variables).toEqual([
    ['echo-agent', []],
    ['light-agent', ['LLM_API_KEY']],
    ['core-agent', ['LLM_API_KEY']],
    ['conversational-ai', ['LLM_API_KEY']],
  ]);
  expect(types[0]).toEqual({
    role: 'echo-agent',
    title: expect.any(String),
    description: expect.any(String),
    requiredVariables: [],
    optionalVariables: ['STT_PROVIDER'],
  });
});
