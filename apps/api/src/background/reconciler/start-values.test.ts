import { LaunchRefused } from '@session/agents';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../testing/api.ts';
import { fakeSupervision } from '../../../testing/supervision.ts';
import { AgentOutput } from './agent-output.ts';
import { startedValues, valuesForStart } from './start-values.ts';

const variables = { LLM_API_KEY: 'sk-hunter2-of-the-tests', LLM_MODEL: 'small' };
const stopped = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;

test('an agent keeps the values of its start, and another process masks them, whatever becomes of its template', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const { deps } = api;
  const { change, remove, row } = await requestAgent(api);
  expect(await valuesForStart(row, deps)).toEqual(variables);
  await change({ LLM_API_KEY: 'sk-another', LLM_MODEL: null });
  expect(await valuesForStart(row, deps)).toEqual(variables);
  await remove();
  expect(await startedValues(row, deps)).toEqual(variables);

  const output = new AgentOutput({
    ...fakeSupervision().deps,
    ...deps,
    launcher: {
      ...fakeSupervision().deps.launcher,
      async *logs() {
        yield {
          at: 1,
          line: `the key is ${variables.LLM_API_KEY}, the model ${variables.LLM_MODEL}`,
        };
      },
    },
    log: api.app.log,
  });
  await output.follow(row);
  await output.stored(10_000);
  const [stored] = await db.tailLog(deps.database, row.id, 1);
  expect(stored?.line).toBe('the key is ••••, the model small');

  await db.updateAgentState(deps.database, row.id, stopped);
  expect(await db.readAgentSecrets(deps.database, row.id)).toBeUndefined();
});

test('an agent that an older version has started is masked by what its template holds now', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const { change, row } = await requestAgent(api);
  await change({ LLM_API_KEY: 'sk-another' });
  expect(await startedValues(row, api.deps)).toEqual({ ...variables, LLM_API_KEY: 'sk-another' });
});

test('values that no key opens are no values: the start is refused, and everything is masked', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const { row } = await requestAgent(api);
  await valuesForStart(row, api.deps);
  const env = { ENCRYPTION_KEY: 'another key, of 32 bytes or more', JWT_SECRET: 'x'.repeat(40) };
  await using other = await startTestApi(database.url, { env });
  expect(await startedValues(row, other.deps)).toBeUndefined();
  await expect(valuesForStart(row, other.deps)).rejects.toBeInstanceOf(LaunchRefused);
});

/** Requests an agent with an environment template. Nothing starts the agent. */
async function requestAgent(api: TestApi) {
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const payload = { name: 'keys', variables };
  const created = await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/env-templates`,
    payload,
  });
  const url = `/env-templates/${created.json().id}`;
  const start = { method: 'POST', url: `/sessions/${sessionId}/agents` } as const;
  await api.inject(ana, { ...start, payload: { role: 'light-agent' } });
  const [row] = await db.listLiveAgents(api.deps.database);
  if (!row) throw new Error('the agent was requested');
  return {
    row,
    change: async (changes: object) =>
      await api.inject(ana, { method: 'PATCH', url, payload: { variables: changes } }),
    remove: async () => await api.inject(ana, { method: 'DELETE', url }),
  };
}
