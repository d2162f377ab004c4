import { once } from 'node:events';
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import type { NewMessageRow } from '@session/db';
import * as db from '@session/db';
import { expect, vi } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestApi } from '../../../testing/api.ts';
import { apiTest } from '../../../testing/api-test.ts';
import { START, spoken } from '../../../testing/history.ts';

/** `listHeads` records each read of the heads. `writer` stores messages over connections of its own, as a recorder does. */
const test = apiTest
  .extend('writer', async ({ database }, { onCleanup }) => {
    const own = db.openDatabase(database.url, { connections: 4 });
    onCleanup(() => own[Symbol.asyncDispose]());
    const append = (batch: readonly NewMessageRow[]) => db.appendMessages(own, batch);
    return { sql: own.sql, append };
  })
  .extend('listHeads', () => vi.fn<(ids: readonly string[]) => void>())
  .extend('options', ({ database, listHeads }, { onCleanup }) => {
    const own = db.openDatabase(database.url, { connections: 4 });
    onCleanup(() => own[Symbol.asyncDispose]());
    const noted = answeredDatabase(own, (name, [ids]) => {
      if (name === 'list_heads' && Array.isArray(ids)) listHeads(ids);
      return undefined;
    });
    return { deps: { database: noted, reserved: noted } };
  });

const latest = (sessionId: string, since = START, limit = 100) =>
  `/sessions/${sessionId}/messages/latest?wait=25&limit=${limit}&since=${since}`;

test('200 as soon as another process has committed; an answer with messages does not wait', async ({
  api,
  ana,
  sessionId,
  listHeads,
  writer,
}) => {
  const waiting = api.inject(ana, { url: latest(sessionId) });
  await expect.poll(() => listHeads.mock.calls.length).toBeGreaterThan(1);
  const first = spoken(sessionId, { status: 'pending' });
  await writer.append([first]);
  const answer = (await waiting).json();
  expect(answer).toMatchObject({ items: [{ id: first.id, status: 'pending' }], hasMore: false });
  expect((await api.inject(ana, { url: latest(sessionId) })).json()).toEqual(answer);
  const completion = api.inject(ana, { url: latest(sessionId, answer.nextSince) });
  await writer.append([{ ...first, status: 'complete' }]);
  expect((await completion).json().items).toMatchObject([{ id: first.id, status: 'complete' }]);
});

test('404 at once for a removed ADMIN and for the end users whom they let in; others still wait', async ({
  api,
  ana,
  listHeads,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'ADMIN']]);
  const [first, second] = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
  ];
  const elsewhere = await api.createSession(ben);
  const [ofBen, ofAna] = [
    await api.createParticipant(ben, first),
    await api.createParticipant(ana, first),
  ];
  const leaving = new AbortController();
  const { signal } = leaving;
  const others = [
    api.inject(ofAna, { url: latest(first), signal }),
    api.inject(ben, { url: latest(elsewhere), signal }),
  ];
  const ended = [
    api.inject(ofBen, { url: latest(first) }),
    api.inject(ben, { url: latest(second) }),
  ];
  await expect.poll(() => listHeads.mock.lastCall?.[0].length).toBe(3);
  await expect.poll(() => waitingOn(api)).toBe(4);
  await api.inject(ana, { method: 'DELETE', url: `/projects/${projectId}/members/${ben.id}` });
  const answers = await Promise.all(ended);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
  expect(await waitingOn(api)).toBe(2);
  leaving.abort();
  await Promise.allSettled(others);
});

async function waitingOn({ deps }: TestApi): Promise<number> {
  const page = await deps.metrics.registry.metrics();
  return Number(/^session_waiting_readers (\d+)/m.exec(page)?.[1]);
}

test('200 at once for what is sent through the API: its notification names the session', async ({
  api,
  ana,
  database,
  sessionId,
  listHeads,
}) => {
  await using sender = await startTestApi(database.url, {
    deps: { rooms: { ...api.deps.rooms, sendPacket: async () => {} } },
  });
  const other = await api.createSession(ana);
  const waiting = [sessionId, other].map((id) => api.inject(ana, { url: latest(id) }));
  await expect.poll(() => listHeads.mock.lastCall?.[0].length).toBe(2);
  const post = { method: 'POST', url: `/sessions/${sessionId}/messages` } as const;
  const said = await sender.inject(ana, { ...post, payload: { content: 'hello' } });
  const { deliveredTo: _delivered, ...stored } = said.json();
  expect((await waiting[0])?.json().items).toEqual([stored]);
  let { timestamp: since } = stored;
  // The look at all sessions, once a second, may find a message before its notification comes.
  const looksAfterNext = async () => {
    const next = api.inject(ana, { url: latest(sessionId, since) });
    await sender.inject(ana, { ...post, payload: { content: 'again' } });
    const { items, nextSince } = (await next).json();
    expect(items).toMatchObject([{ content: 'again' }]);
    since = nextSince;
    return listHeads.mock.calls;
  };
  await expect.poll(looksAfterNext).toContainEqual([[sessionId]]);
  await sender.inject(ana, {
    ...post,
    url: `/sessions/${other}/messages`,
    payload: { content: 'x' },
  });
  expect((await waiting[1])?.statusCode).toBe(200);
});

test('404 for readers that wait in a session that is deleted, and for a member who is removed', async ({
  api,
  ana,
  sessionId,
  listHeads,
  writer,
}) => {
  const deleted = api.inject(ana, { url: latest(sessionId) });
  await expect.poll(() => listHeads.mock.calls.length).toBeGreaterThan(0);
  await writer.sql`delete from session_heads where session_id = ${sessionId}`;
  expect((await deleted).statusCode).toBe(404);
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const shared = await api.createSession(ana, projectId);
  const waiting = [ana, ben].map((user) => api.inject(user, { url: latest(shared) }));
  await expect.poll(() => waitingOn(api)).toBe(2);
  await writer.sql`delete from memberships where user_id = ${ben.id}`;
  await writer.append([spoken(shared, { status: 'complete' })]);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404]);
});

test('a client that disconnects no longer waits; the end of the server answers the others at once', async ({
  api,
  ana,
  sessionId,
  listHeads,
}) => {
  const other = await api.createSession(ana);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${ana.token}` };
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = once(get(`${address}${latest(sessionId)}`, { headers, signal }), 'response');
  const stays = once(get(`${address}${latest(other)}`, { headers }), 'response');
  const both = [sessionId, other].toSorted();
  await expect.poll(() => listHeads.mock.lastCall?.[0].toSorted()).toEqual(both);
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  await expect.poll(() => listHeads.mock.lastCall).toEqual([[other]]);

  const closed = api.app.close();
  const [answer] = await stays;
  expect([answer.statusCode, await json(answer)]).toEqual([
    200,
    { items: [], nextSince: START, hasMore: false },
  ]);
  await closed;
});
