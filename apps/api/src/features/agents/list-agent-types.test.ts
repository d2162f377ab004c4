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
  const required = types.map(
    (type: { role: string; requiredVariables: string[]; available: boolean }) => [
      type.role,
      type.available,
      type.requiredVariables,
    ],
  );
  expect(required).toEqual([
    ['echo-agent', true, []],
    ['light-agent', false, ['LLM_API_KEY']],
    ['core-agent', false, ['LLM_API_KEY']],
    ['conversational-ai', false, ['LLM_API_KEY']],
    ['external', true, []],
  ]);
  expect(types[0]).toEqual({
    role: 'echo-agent',
    title: expect.any(String),
    description: expect.any(String),
    capabilities: ['text', 'hearing', 'voice'],
    aliasOf: null,
    requiredVariables: [],
    optionalVariables: ['ECHO_MODE', 'STT_PROVIDER'],
    variables: expect.any(Array),
    available: true,
  });
  expect(types[1]).toMatchObject({ role: 'light-agent', capabilities: ['text'] });
  expect(types[3]).toMatchObject({ role: 'conversational-ai', aliasOf: 'core-agent' });
  for (const { requiredVariables, optionalVariables, variables } of types) {
    const names = variables.map(({ name }: { name: string }) => name);
    expect(new Set(names)).toEqual(new Set([...requiredVariables, ...optionalVariables]));
  }
  expect(types[1].variables[0]).toEqual({
    name: 'LLM_API_KEY',
    required: true,
    secret: true,
    description: expect.stringContaining('rehearsal'),
    default: null,
  });
});
