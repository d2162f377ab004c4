import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../test-api.ts';

/** 2026-11-21T08:00:00Z, in microseconds. */
const BEGAN = 1_795_248_000_000_000;

test('the last 200 lines, or as many as are asked for; complete when it has stopped', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const id = await insertAgent(api, ana, 300);
  const logs = async (query = '') =>
    (await api.inject(ana, { url: `/agents/${id}/logs${query}` })).json();
  const usual = await logs();
  expect([usual.items.length, usual.items.at(-1).line, usual.complete]).toEqual([
    200,
    'line 299',
    false,
  ]);
  expect((await logs('?tail=5000')).items).toHaveLength(300);
  expect((await logs('?tail=1')).items).toEqual([
    { timestamp: '2026-11-21T08:00:00.000299Z', line: 'line 299' },
  ]);
  const end = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 } as const;
  await api.deps.agents.updateAgentState(id, end);
  expect((await logs()).complete).toBe(true);
});

test('since the timestamp of a line gives all lines after that one, and never that one', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const id = await insertAgent(api, ana, 10);
  const read = async (query: string): Promise<{ timestamp: string; line: string }[]> =>
    (await api.inject(ana, { url: `/agents/${id}/logs?${query}` })).json().items;
  const all = await read('tail=100');
  for (const [index, { timestamp }] of all.entries()) {
    expect(await read(`since=${timestamp}`)).toEqual(all.slice(index + 1));
  }
  expect(await read('since=2026-11-21T09:00:00.000004%2B01:00&tail=2')).toEqual(all.slice(-2));
  expect(await read('since=2026-11-21T07:59:59Z')).toEqual(all);
});

test('bare lines for who asks for text', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const id = await insertAgent(api, ana, 2);
  const url = `/agents/${id}/logs`;
  const text = await api.inject(ana, { url, headers: { accept: 'text/plain' } });
  expect([text.headers['content-type'], text.body]).toEqual([
    'text/plain; charset=utf-8',
    'line 0\nline 1\n',
  ]);
  const either = await api.inject(ana, { url, headers: { accept: '*/*' } });
  expect(either.headers['content-type']).toMatch(/^application\/json/);
});

test('no lines yet are no failure', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const answer = await api.inject(ana, { url: `/agents/${await insertAgent(api, ana, 0)}/logs` });
  expect([answer.statusCode, answer.json()]).toEqual([200, { items: [], complete: false }]);
});

test.each(['tail=0', 'tail=5001', 'tail=all', 'since=yesterday', 'since=', 'lines=3'])(
  '400 for %s',
  async (query) => {
    await using database = await createTestDatabase();
    await using api = await startTestApi(database.url);
    const ana = await api.createUser();
    const id = await insertAgent(api, ana, 0);
    const answer = await api.inject(ana, { url: `/agents/${id}/logs?${query}` });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  },
);

/** Gives an agent that wrote so many lines, one a microsecond. */
async function insertAgent(api: TestApi, user: TestUser, count: number): Promise<string> {
  const { agents, agentLogs } = api.deps;
  const sessionId = await api.createSession(user);
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: user.id };
  await agents.insertAgent({ ...agent, planId: null, envTemplateId: null, config: {} });
  const lines = Array.from({ length: count }, (_, index) => ({
    at: BEGAN + index,
    line: `line ${index}`,
  }));
  const end = await agentLogs.findLogEnd(agent.id);
  if (count > 0) await agentLogs.appendLog(agent.id, end, lines);
  return agent.id;
}
