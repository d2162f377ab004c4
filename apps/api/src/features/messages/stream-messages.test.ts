import * as db from '@session/db';
import { DatabaseProxy } from '@session/testing';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { START, spoken } from '../../../testing/history.ts';
import { eventsOf, open, opened, streamTest as test } from '../../../testing/message-streams.ts';

const END = { done: true, value: undefined };

test('each message comes when it is stored, grows and is completed; without `since` only what comes next', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const append = (batch: readonly db.NewMessageRow[]) =>
    db.appendMessages(api.deps.database, batch);
  await append([spoken(sessionId)]);
  const { events, position } = await opened(address, ana, sessionId);
  const growing = spoken(sessionId, { status: 'pending', content: 'one' });
  await append([growing]);
  const { value: pending } = await events.next();
  expect(pending).toMatchObject({
    name: 'message',
    data: { id: growing.id, sessionId, status: 'pending', content: 'one' },
  });
  expect((pending?.id ?? '') > (position ?? '')).toBe(true);
  await append([{ ...growing, content: 'one two' }]);
  expect((await events.next()).value?.data).toMatchObject({ content: 'one two' });
  await append([{ ...growing, content: 'one two three', status: 'complete' }]);
  const { value: complete } = await events.next();
  expect(complete?.data).toMatchObject({ id: growing.id, status: 'complete' });

  const url = `/sessions/${sessionId}/messages/latest?since=${START}`;
  const { items, nextSince } = (await api.inject(ana, { url })).json();
  expect(complete?.id).toBe(nextSince);
  expect(complete?.data).toEqual(items.at(-1));
});

test('with cuts at random the stream has each message once, in the order of the history', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const batches = Array.from({ length: 12 }, () =>
    Array.from({ length: 10 }, () => spoken(sessionId)),
  );
  const writing = (async () => {
    for (const batch of batches) await db.appendMessages(api.deps.database, batch);
  })();
  const seen: (string | undefined)[] = [];
  let lastEventId: string | undefined = START;
  while (seen.length < 120) {
    const leaving = new AbortController();
    const { signal } = leaving;
    const { events } = await opened(address, ana, sessionId, { lastEventId, signal });
    const takes = 1 + Math.floor(Math.random() * 20);
    for (let count = 0; count < takes && seen.length < 120; count += 1) {
      const { value } = await events.next();
      seen.push(value?.data.id);
      lastEventId = value?.id;
    }
    leaving.abort();
  }
  await writing;
  const { messages } = (await db.pageMessages(api.deps.database, {
    sessionId,
    userId: ana.id,
    limit: 200,
    order: 'asc',
  })) ?? { messages: [] };
  expect(seen).toEqual(messages.map(({ id }) => id));
});

test('`since` begins behind a position, and more than one read follow on each other', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const rows = Array.from({ length: 130 }, () => spoken(sessionId));
  await db.appendMessages(api.deps.database, rows);
  const leaving = new AbortController();
  const { signal } = leaving;
  const cut = await opened(address, ana, sessionId, { since: START, signal });
  // This client has received nothing yet of all that was stored.
  leaving.abort();
  const { events } = await opened(address, ana, sessionId, { lastEventId: cut.position });
  const contents: (string | undefined)[] = [];
  while (contents.length < 130) contents.push((await events.next()).value?.data.id);
  expect(contents).toEqual(rows.map(({ id }) => id));
});

test('to an end user whose history begins with their first token comes nothing that began before', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const append = async (...batch: readonly db.NewMessageRow[]) =>
    await db.appendMessages(api.deps.database, batch);
  const slow = spoken(sessionId, { status: 'pending' });
  await append(spoken(sessionId), slow);
  const url = `/sessions/${sessionId}/token`;
  const payload = { participant: { id: 'customer-7', name: 'Ada' }, history: 'since_join' };
  const issued = (await api.inject(ana, { method: 'POST', url, payload })).json();
  const ada = { ...ana, token: issued.accessToken };
  const first = spoken(sessionId);
  await append(first);
  const { events } = await opened(address, ada, sessionId, { since: START });
  expect((await events.next()).value?.data.id).toBe(first.id);
  await append({ ...slow, status: 'complete', content: 'hello all' });
  const second = spoken(sessionId);
  await append(second);
  expect((await events.next()).value?.data.id).toBe(second.id);
});

test('a reader who is removed, and the readers of a session that is deleted, are told with the next message or look', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const ben = await api.createUser('ben');
  const { projectId } =
    (await db.findSession(api.deps.database, { id: sessionId, userId: ana.id })) ?? {};
  const url = `/projects/${projectId}/members`;
  await api.inject(ana, { method: 'POST', url, payload: { email: ben.email } });
  const { events } = await opened(address, ben, sessionId);
  const { events: ofAna } = await opened(address, ana, sessionId);
  await api.inject(ana, { method: 'DELETE', url: `${url}/${ben.id}` });
  await db.appendMessages(api.deps.database, [spoken(sessionId)]);
  expect((await events.next()).value).toMatchObject({ name: 'end', data: { reason: 'not_found' } });
  expect(await events.next()).toEqual(END);
  await ofAna.next();
  await api.inject(ana, { method: 'DELETE', url: `/sessions/${sessionId}` });
  expect((await ofAna.next()).value?.data).toEqual({ reason: 'not_found' });
});

test('the stream ends when the token expires', async ({ database }) => {
  let ahead = 0;
  await using own = await startTestApi(database.url, { deps: { now: () => Date.now() + ahead } });
  const ana = await own.createUser();
  const sessionId = await own.createSession(ana);
  const address = await own.app.listen({ port: 0, host: '127.0.0.1' });
  const { exp = 0 } = own.app.jwt.decode<{ exp?: number }>(ana.token) ?? {};
  ahead = exp * 1000 - Date.now() - 50;
  const { events } = await opened(address, ana, sessionId);
  expect((await events.next()).value?.data).toEqual({ reason: 'token_expired' });
  expect(await events.next()).toEqual(END);
});

test('a token that is ended ends its streams, which say so', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const { events } = await opened(address, ana, sessionId);
  const signedOut = await api.inject(ana, { method: 'POST', url: '/auth/sign-out' });
  expect(signedOut.statusCode).toBe(204);
  expect((await events.next()).value?.data).toEqual({ reason: 'token_ended' });
  expect(await events.next()).toEqual(END);
});

test('a stream reads each page once; a server that drains ends it properly, and reads nothing more for it', async ({
  database,
}) => {
  const reads: string[] = [];
  await using own = db.openDatabase(database.url, { connections: 4 });
  const noted = answeredDatabase(own, (name) => {
    reads.push(name);
    return undefined;
  });
  await using api = await startTestApi(database.url, { deps: { database: noted } });
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  await db.appendMessages(own, [spoken(sessionId)]);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const response = await open(address, ana, sessionId, { since: START });
  const events = eventsOf(response);
  for (let count = 0; count < 2; count += 1) await events.next();
  const closed = api.app.close();
  expect((await events.next()).value?.data).toEqual({ reason: 'reconnect' });
  expect(await events.next()).toEqual(END);
  expect(response.complete).toBe(true);
  await closed;
  expect(reads.filter((name) => name === 'latest_messages')).toHaveLength(1);
});

test('the loss of the database ends the stream properly; the client goes on with its last id when it is back', async ({
  database,
}) => {
  await using proxy = await DatabaseProxy.open(database.url);
  await using own = await startTestApi(proxy.url);
  const ana = await own.createUser();
  const sessionId = await own.createSession(ana);
  const address = await own.app.listen({ port: 0, host: '127.0.0.1' });
  const response = await open(address, ana, sessionId);
  const events = eventsOf(response);
  const { value: first } = await events.next();
  await proxy.refuseConnections();
  expect((await events.next()).value?.data).toEqual({ reason: 'reconnect' });
  expect(await events.next()).toEqual(END);
  expect(response.complete).toBe(true);
  await proxy.acceptConnections();
  const row = spoken(sessionId);
  // A statement fails while the pool has not noticed yet that its connection is closed.
  const append = () => db.appendMessages(own.deps.database, [row]).then(() => 'stored', String);
  await expect.poll(append).toBe('stored');
  const again = await opened(address, ana, sessionId, { lastEventId: first?.id });
  expect((await again.events.next()).value?.data.id).toBe(row.id);
});

test('of the streams and long polls that come at once five read at a time; another request does not wait for them', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url, { connections: 4 });
  const held = Promise.withResolvers<[]>();
  let reads = 0;
  const counted = answeredDatabase(own, (name) => {
    if (name !== 'latest_messages') return undefined;
    reads += 1;
    return held.promise;
  });
  await using api = await startTestApi(database.url, { deps: { database: counted } });
  const ana = await api.createUser();
  const url = `/sessions/${await api.createSession(ana)}/messages`;
  const waiting = Array.from({ length: 4 }, () => [
    api.inject(ana, { url: `${url}/stream` }),
    api.inject(ana, { url: `${url}/latest?since=${START}&wait=25` }),
  ]).flat();
  await expect.poll(() => reads).toBe(5);
  expect((await api.inject(ana, { url })).statusCode).toBe(200);
  expect(reads).toBe(5);
  // The reads find nothing, as for strangers.
  held.resolve([]);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 404));
  expect(reads).toBe(8);
});

test('400 for a position that is none, 404 for the session of another project', async ({
  api,
  ana,
  sessionId,
}) => {
  const url = `/sessions/${sessionId}/messages/stream`;
  const bad = await api.inject(ana, { url, headers: { 'last-event-id': 'x' } });
  expect([bad.statusCode, bad.json().code]).toEqual([400, 'invalid_request']);
  expect((await api.inject(ana, { url: `${url}?since=yesterday` })).statusCode).toBe(400);
  const stranger = await api.createUser('stranger');
  expect((await api.inject(stranger, { url })).statusCode).toBe(404);
});
