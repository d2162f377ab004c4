import { once } from 'node:events';
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  type MessageQueries,
  type NewMessageRow,
  openDatabase,
  prepareMessageQueries,
} from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { START, spoken } from '../../../testing/history.ts';

/** An API whose look at the heads can be seen, and a writer that it knows nothing of. */
async function startWaiting() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const own = stack.use(openDatabase(database.url, { connections: 4 }));
  const writer = stack.use(openDatabase(database.url, { connections: 4 }));
  const messages = prepareMessageQueries(own);
  const written = prepareMessageQueries(writer);
  const listHeads = vi.fn<MessageQueries['listHeads']>((ids) => messages.listHeads(ids));
  const api = stack.use(
    await startTestApi(database.url, { deps: { messages: { ...messages, listHeads } } }),
  );
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const owned = stack.move();
  return {
    api,
    ana,
    sessionId,
    listHeads,
    sql: writer.sql,
    append: (batch: readonly NewMessageRow[]) => written.appendMessages(batch),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const latest = (sessionId: string, since = START, limit = 100) =>
  `/sessions/${sessionId}/messages/latest?wait=25&limit=${limit}&since=${since}`;

test('200 as soon as another process has committed; an answer that has something does not wait', async () => {
  await using world = await startWaiting();
  const { api, ana, sessionId, listHeads } = world;
  const waiting = api.inject(ana, { url: latest(sessionId) });
  await expect.poll(() => listHeads.mock.calls.length).toBeGreaterThan(1);
  const first = spoken(sessionId, { status: 'pending' });
  await world.append([first]);
  const answer = (await waiting).json();
  expect(answer).toMatchObject({ items: [{ id: first.id, status: 'pending' }], hasMore: false });
  expect((await api.inject(ana, { url: latest(sessionId) })).json()).toEqual(answer);
  const completion = api.inject(ana, { url: latest(sessionId, answer.nextSince) });
  await world.append([{ ...first, status: 'complete' }]);
  expect((await completion).json().items).toMatchObject([{ id: first.id, status: 'complete' }]);
});

test('404 for those who wait in a session that is deleted, and for a member who is removed', async () => {
  await using world = await startWaiting();
  const { api, ana, sessionId, listHeads, sql } = world;
  const deleted = api.inject(ana, { url: latest(sessionId) });
  await expect.poll(() => listHeads.mock.calls.length).toBeGreaterThan(0);
  await sql`delete from session_heads where session_id = ${sessionId}`;
  expect((await deleted).statusCode).toBe(404);
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const shared = await api.createSession(ana, projectId);
  const waiting = [ana, ben].map((user) => api.inject(user, { url: latest(shared) }));
  await expect.poll(() => listHeads.mock.lastCall).toEqual([[shared]]);
  await sql`delete from memberships where user_id = ${ben.id}`;
  await world.append([spoken(shared, { status: 'complete' })]);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404]);
});

test('a client that disconnects waits no longer; the end of the server answers the others at once', async () => {
  await using world = await startWaiting();
  const { api, ana, sessionId, listHeads } = world;
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
