import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as db from '@session/db';
import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { START, spoken } from '../../../testing/history.ts';
import { eventsOf, open, opened } from '../../../testing/message-streams.ts';

/** Returns an API on a real port, and a session, where the reads of another session have all turns until `release`. */
async function holdTurns(databaseUrl: string) {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(db.openDatabase(databaseUrl, { connections: 4 }));
  const held = Promise.withResolvers<[]>();
  let busy = '';
  let reads = 0;
  const database = answeredDatabase(own, (name, [sessionId]) => {
    if (name !== 'latest_messages' || sessionId !== busy) return undefined;
    reads += 1;
    return held.promise;
  });
  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  const api = stack.use(await startTestApi(databaseUrl, { deps: { database }, logStream }));
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  let holding: Promise<unknown> | undefined;
  const hold = async () => {
    busy = await api.createSession(ana);
    const url = `/sessions/${busy}/messages/latest?since=${START}`;
    holding = Promise.all(Array.from({ length: 5 }, () => api.inject(ana, { url })));
    await expect.poll(() => reads).toBe(5);
  };
  const release = async () => {
    held.resolve([]);
    await holding;
  };
  const owned = stack.move();
  const end = () => owned.disposeAsync();
  return { api, ana, sessionId, address, lines, hold, release, [Symbol.asyncDispose]: end };
}

test('a stream that has to end while its first read waits begins, and says why it ends', async ({
  database,
}) => {
  await using world = await holdTurns(database.url);
  const { api, ana, sessionId, address } = world;
  await db.appendMessages(api.deps.database, [spoken(sessionId)]);
  const quiet = await opened(address, ana, sessionId);
  await world.hold();
  const asked = once(api.app.server, 'request');
  const opening = open(address, ana, sessionId, { since: START });
  await asked;
  const closed = api.app.close();
  expect((await quiet.events.next()).value?.data).toEqual({ reason: 'reconnect' });
  await world.release();
  const events = await Array.fromAsync(eventsOf(await opening));
  // Nothing was sent, so the client goes on where it began.
  expect(events).toMatchObject([{ id: START }, { name: 'end', data: { reason: 'reconnect' } }]);
  await closed;
});

test('a request whose client has left before its turn is noted in the log, and not as a failure', async ({
  database,
}) => {
  await using world = await holdTurns(database.url);
  const { api, ana, sessionId, address, lines } = world;
  await world.hold();
  const leaving = new AbortController();
  const asked = once(api.app.server, 'request');
  const opening = open(address, ana, sessionId, { signal: leaving.signal });
  const [, answer]: ServerResponse[] = await asked;
  if (!answer) throw new Error('each request has an answer');
  const left = once(answer, 'close');
  leaving.abort();
  await expect(opening).rejects.toThrow('aborted');
  await left;
  await world.release();
  const logged = () =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => /aborted by client|failed/.test(msg));
  await expect.poll(logged).toMatchObject([{ level: 30, msg: 'request aborted by client' }]);
});

test('at most five reads are in the database at once, also when nobody waits for the first of them any more', async ({
  database,
}) => {
  const timeLimits = { requestMs: 30_000, statementMs: 100, serverMs: 30_000 };
  await using api = await startTestApi(database.url, { timeLimits });
  const ana = await api.createUser();
  const url = `/sessions/${await api.createSession(ana)}/messages/latest?since=${START}`;
  await using _ = await holdLocks(database.url, async (sql) => await sql`lock session_heads`);
  const count = async () => {
    const [found] = await api.deps.database.sql<{ reads: number }[]>`
      select count(*)::int as reads from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '/* latest_messages %'`;
    return found?.reads ?? 0;
  };
  const counts: number[] = [];
  const asked: ReturnType<typeof api.inject>[] = [];
  const ask = () => void asked.push(api.inject(ana, { url }));
  // One after another: on a slow machine the limit of a statement ends some requests before their read.
  const askMore = async () => {
    ask();
    counts.push(await count());
    return counts.at(-1);
  };
  await expect.poll(askMore).toBe(5);
  for (let more = 0; more < 3; more += 1) ask();
  const answered = new AbortController();
  const answers = Promise.all(asked).finally(() => answered.abort());
  while (!answered.signal.aborted) counts.push(await count());
  expect(Math.max(...counts)).toBe(5);
  expect(new Set((await answers).map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
});
