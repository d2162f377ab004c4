import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import * as db from '@session/db';
import { DatabaseProxy } from '@session/testing';
import { expect, vi } from 'vitest';
import { insertAgent, stop, write } from '../../../testing/agent-log.ts';
import { openTestAgents } from '../../../testing/agents.ts';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { ownApiTest } from '../../../testing/api-test.ts';
import { followAgentLog } from './follow-agent-log.ts';
import { LogFollowers } from './log-followers.ts';

/** A server-sent event. */
interface Received {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: { readonly timestamp?: string; readonly line?: string; readonly lines?: number };
}

/** As `apiTest`, with the `address` of a real port: only real connections show how a stream goes on and ends. */
const test = ownApiTest.extend(
  'address',
  async ({ api }) => await api.app.listen({ port: 0, host: '127.0.0.1' }),
);

interface StreamOptions {
  readonly query?: string;
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Opens the stream of a log as a client does. */
async function open(
  address: string,
  { token }: TestUser,
  id: string,
  { query = '', lastEventId, signal }: StreamOptions = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const request = get(`${address}/agents/${id}/logs${query}`, { headers, signal });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('there is a response');
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  return response;
}

/** Yields the events of a stream. */
async function* eventsOf(response: IncomingMessage): AsyncGenerator<Received> {
  let fields = new Map<string, string>();
  for await (const line of createInterface({ input: response })) {
    if (line === '') {
      const data = fields.get('data');
      const name = fields.get('event') ?? 'message';
      if (data !== undefined) yield { name, id: fields.get('id'), data: JSON.parse(data) };
      fields = new Map();
    } else {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
      fields.set(name, value);
    }
  }
}

const namesOf = (events: readonly Received[]) =>
  events.map(({ name, data }) => data.line ?? (data.lines === undefined ? name : data.lines));

test('the stored lines, then new lines, then `complete`; also for an agent that has ended', async ({
  api,
  ana,
  address,
}) => {
  const id = await insertAgent(api, ana, 300, 1000);
  const events = eventsOf(await open(address, ana, id, { query: '?tail=2' }));
  const { value: first } = await events.next();
  expect(first).toEqual({
    name: 'message',
    id: '298',
    data: { timestamp: '2026-11-21T08:00:00.298Z', line: 'line 298' },
  });
  await events.next();
  await write(api, id, 2, 1000);
  const { value: third } = await events.next();
  expect(third).toMatchObject({ id: '300', data: { line: 'line 300' } });
  await stop(api, id);
  expect(namesOf(await Array.fromAsync(events))).toEqual(['line 301', 'complete']);

  const since = '?since=2026-11-21T08:00:00.299Z';
  const again = await Array.fromAsync(eventsOf(await open(address, ana, id, { query: since })));
  expect(namesOf(again)).toEqual(['line 300', 'line 301', 'complete']);
  const usual = await Array.fromAsync(eventsOf(await open(address, ana, id)));
  expect(usual).toHaveLength(201);
});

test('a client that reconnects with its last id gets each later line once, or the number of lines that are gone', async ({
  api,
  ana,
  address,
}) => {
  const id = await insertAgent(api, ana, 10);
  const seen: string[] = [];
  let lastEventId: string | undefined;
  while (seen.length < 30) {
    const leaving = new AbortController();
    const { signal } = leaving;
    const events = eventsOf(await open(address, ana, id, { lastEventId, signal }));
    for (let count = 0; count < 3; count += 1) {
      const { value } = await events.next();
      seen.push(value?.data.line ?? '');
      lastEventId = value?.id;
    }
    leaving.abort();
    await write(api, id, 3);
  }
  expect(seen).toEqual(Array.from({ length: 30 }, (_, number) => `line ${number}`));

  for (let count = 0; count < 27; count += 1) await write(api, id, 200);
  await stop(api, id);
  const late = await Array.fromAsync(eventsOf(await open(address, ana, id, { lastEventId: '30' })));
  const gone = Number(namesOf(late)[0]);
  expect(gone).toBeGreaterThan(0);
  expect(namesOf(late)[1]).toBe(`line ${31 + gone}`);
  expect(late.at(-1)?.name).toBe('complete');
});

test('a client that is removed from the project gets no more lines, and no `complete`', async ({
  api,
  ana,
  address,
}) => {
  const ben = await api.createUser('ben');
  const id = await insertAgent(api, ana, 1);
  const found = await db.findAgent(api.deps.database, { id, userId: ana.id });
  const session = { id: found?.sessionId ?? '', userId: ana.id };
  const projectId = (await db.findSession(api.deps.database, session))?.projectId ?? '';
  const payload = { email: ben.email };
  const url = `/projects/${projectId}/members`;
  await api.inject(ana, { method: 'POST', url, payload });
  const events = eventsOf(await open(address, ben, id));
  await events.next();
  await api.inject(ana, { method: 'DELETE', url: `${url}/${ben.id}` });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('the end of the server ends the stream at once, even for a client that does not read', async ({
  api,
  ana,
  address,
}) => {
  const quiet = await insertAgent(api, ana, 1);
  const events = eventsOf(await open(address, ana, quiet));
  await events.next();
  const loud = await insertAgent(api, ana, 0);
  await fill(api, loud);
  const requested = once(api.app.server, 'request');
  const stuck = await open(address, ana, loud, { query: '?tail=5000' });
  stuck.on('error', () => {});
  const [, response] = await requested;
  await expect.poll(() => response.writableNeedDrain).toBe(true);
  await api.app.close();
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('the loss of the database ends the stream properly; a client that reconnects with its last id goes on when it is back', async ({
  database,
}) => {
  await using proxy = await DatabaseProxy.open(database.url);
  await using own = await startTestApi(proxy.url);
  const ana = await own.createUser();
  const id = await insertAgent(own, ana, 1);
  const address = await own.app.listen({ port: 0, host: '127.0.0.1' });
  const response = await open(address, ana, id);
  const events = eventsOf(response);
  await events.next();
  await proxy.refuseConnections();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(response.complete).toBe(true);
  await proxy.acceptConnections();
  // A statement fails while the pool has not noticed yet that its connection is closed.
  const add = () => write(own, id, 1).then(() => 'stored', String);
  await expect.poll(add).toBe('stored');
  const again = eventsOf(await open(address, ana, id, { lastEventId: '0' }));
  expect((await again.next()).value).toMatchObject({ id: '1' });
});

test('for a client that does not read, only the lines that are being sent are read', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 0);
  for (let count = 0; count < 50; count += 1) await write(api, id, 1);
  const { database } = api.deps;
  const agentLogs = db.bind(database, { listLogFrom: db.listLogFrom, lookAtLogs: db.lookAtLogs });
  const listLogFrom = vi.fn<typeof agentLogs.listLogFrom>(agentLogs.listLogFrom);
  await using followers = new LogFollowers({ agentLogs: { ...agentLogs, listLogFrom } });
  const { signal } = new AbortController();
  const place = { agentId: id, userId: ana.id, firstLine: 0 };
  const stream = followAgentLog(followers, { ...place, lifeMs: 60_000, signal });
  const events = stream.iterator();
  await events.next();
  expect(String((await events.next()).value)).toContain('line 0');
  for (let count = 0; count < 50; count += 1) await db.findLogEnd(database, id);
  // One chunk that was taken and one that waits: eight appends each.
  expect(listLogFrom.mock.calls.length).toBeLessThan(3);
  await events.return?.();
});

test('400 for a last id that is not a line’s number; HEAD and other types get the log as usual', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 1);
  const ask = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
    await api.inject(ana, { method, url: `/agents/${id}/logs`, headers });
  const accept = 'text/event-stream';
  expect((await ask({ accept, 'last-event-id': 'x' })).statusCode).toBe(400);
  expect((await ask({ accept }, 'HEAD')).statusCode).toBe(200);
  for (const other of ['image/png', 'application/json, text/event-stream', '*/*']) {
    expect((await ask({ accept: other })).headers['content-type']).toMatch(/^application\/json/);
  }
});

test('the log of the echo agent is streamed from its first line to its last', async () => {
  await using agents = await openTestAgents();
  await agents.open();
  const { api, ana } = agents;
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { id, sessionId } = await agents.start();
  const events = eventsOf(await open(address, ana, id));
  const { value: mode } = await events.next();
  expect(mode?.data.line).toBe('echo mode: text');
  const { value: joined } = await events.next();
  expect(joined?.data.line).toContain(`joined room ${sessionId}`);
  await agents.until(id, 'Running');
  const payload = { content: 'hello' };
  await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/messages`, payload });
  const { value: answered } = await events.next();
  expect(answered?.data.line).toMatch(/^answered message/);
  await agents.stop(id);
  const rest = await Array.fromAsync(events);
  expect(rest.at(-1)?.name).toBe('complete');
});

/** Adds a MiB of text that is six times as long in JSON: more than an unread connection holds. */
async function fill({ deps: { database } }: TestApi, id: string): Promise<void> {
  const line = '\u0001'.repeat(16_000);
  for (let count = 0; count < 16; count += 1) {
    const end = await db.findLogEnd(database, id);
    const lines = [1, 2, 3, 4].map((number) => ({ at: 4 * count + number, line }));
    await db.appendLog(database, id, end, lines);
  }
}
