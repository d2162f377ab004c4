import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with each role, the variables that its template needs, and whether it is available here', async ({
  database,
}) => {
  await using api = await startTestApi(database.url, {
    deps: {
      launchCheck: {
        isInstalled: ({ program }) => program === 'echo-agent',
        check: async () => {},
      },
    },
  });
  const types = (await api.inject(await api.createUser(), { url: '/agent-types' })).json();
  const variables = types.map(
    (type: { role: string; requiredVariables: string[]; available: boolean }) => [
      type.role,
      type.available,
      type.requiredVariables,
    ],
  );
  expect(variables).toEqual([
    ['echo-agent', true, []],
    ['light-agent', false, ['LLM_API_KEY']],
    ['core-agent', false, ['LLM_API_KEY']],
    ['conversational-ai', false, ['LLM_API_KEY']],
  ]);
  expect(types[0]).toEqual({
    role: 'echo-agent',
    title: expect.any(String),
    description: expect.any(String),
    requiredVariables: [],
    optionalVariables: ['STT_PROVIDER'],
    available: true,
  });
});
