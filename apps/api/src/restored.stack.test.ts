import * as db from '@session/db';
import type { InjectOptions } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../testing/api.ts';
import { START, spoken } from '../testing/history.ts';
import { followOn, type StreamedEvent } from '../testing/message-streams.ts';
import { startRestorableDatabase } from '../testing/restorable-database.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { append, createWebhook, findWebhook, startWork } from '../testing/webhook-test.ts';

type Request = InjectOptions & { readonly url: string };

/** Asks again while the database is away, as clients do. */
async function askUntilAnswered(api: TestApi, user: TestUser, request: Request) {
  let answer = await api.inject(user, request);
  await expect
    .poll(
      async () => {
        answer = await api.inject(user, request);
        return answer.statusCode;
      },
      { timeout: 60_000 },
    )
    .not.toBe(503);
  return answer;
}

test('an API that works through a restore to an earlier time: what was changed since is undone, and every client can go on', async () => {
  await using database = await startRestorableDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const say = async (sessionId: string, content: string, id = uuidv7()) =>
    await api.inject(ana, {
      method: 'POST',
      url: `/sessions/${sessionId}/messages`,
      payload: { id, content },
    });
  const projectId = await api.createProject(ana);
  const kept = await api.createSession(ana, projectId);
  const closed = await api.createSession(ana, projectId);
  await say(kept, 'kept');
  const newest = `/sessions/${kept}/messages/latest?since=2020-01-01T00:00:00.000Z`;
  const { nextSince: keptSince } = (await api.inject(ana, { url: newest })).json();
  await database.keepUntilNow();

  // All of this happens after that time, and is undone.
  const bea = await api.createUser('bea');
  const beasProject = await api.createProject(bea);
  await db.closeSession(api.deps.database, closed, 'user');
  const lostId = uuidv7();
  await say(kept, 'lost', lostId);
  const creation = {
    method: 'POST',
    url: `/projects/${projectId}/sessions`,
    headers: { 'idempotency-key': 'once' },
    payload: { name: 'once' },
  } as const;
  const gone = (await api.inject(ana, creation)).json();
  const { nextSince } = (await api.inject(ana, { url: newest })).json();
  const waiting = `/sessions/${kept}/messages/latest?since=${nextSince}&wait=25`;
  const waiters = [ana, ana].map((user) => api.inject(user, { url: waiting }));

  await database.restore();
  for (const answer of await Promise.all(waiters)) {
    // An empty answer, or a problem that says when to ask again: never an error of the server.
    expect([200, 503]).toContain(answer.statusCode);
  }
  // A client that saw lost messages gets one `reset`. Other clients get none; they wait for the next message. A message
  // that is sent again is stored once.
  expect((await askUntilAnswered(api, ana, { url: newest })).json().items).toMatchObject([
    { content: 'kept' },
  ]);
  for (const _ of [ana, ana]) {
    const reset = (await askUntilAnswered(api, ana, { url: waiting })).json();
    expect(reset).toEqual({
      items: [],
      nextSince: expect.any(String),
      hasMore: false,
      reset: true,
    });
    // The reader continues at the floor, which is later than every time that was given out.
    expect(Date.parse(reset.nextSince)).toBeGreaterThan(Date.parse(nextSince));
  }
  const quiet = `/sessions/${kept}/messages/latest?since=${keptSince}&wait=25`;
  const waited = askUntilAnswered(api, ana, { url: quiet });
  const isStored = async () => {
    await say(kept, 'lost', lostId);
    return (await api.inject(ana, { url: newest })).json().items?.length;
  };
  await expect.poll(isStored, { timeout: 60_000 }).toBe(2);
  const { items, nextSince: later } = (await waited).json();
  expect(items).toMatchObject([{ id: lostId, content: 'lost' }]);
  expect((await waited).json()).not.toHaveProperty('reset');
  expect(Date.parse(later)).toBeGreaterThan(Date.parse(nextSince));

  // The first repeat of a request creates the lost object again, and the second repeat creates nothing.
  expect((await api.inject(ana, { url: `/sessions/${gone.id}` })).statusCode).toBe(404);
  const again = (await api.inject(ana, creation)).json();
  expect(again.id).not.toBe(gone.id);
  expect((await api.inject(ana, creation)).json().id).toBe(again.id);
  const reopened = await api.inject(ana, { url: `/sessions/${closed}` });
  expect(reopened.json()).toMatchObject({ status: 'ACTIVE', closedAt: null });

  // Whoever signed up after that time has no account: the token opens nothing, and the address is free.
  const creating = { method: 'POST', url: '/projects', payload: { name: 'mine' } } as const;
  const urls = ['/auth/me', '/projects', `/projects/${beasProject}`];
  for (const request of [...urls.map((url) => ({ url })), creating]) {
    expect((await api.inject(bea, request)).statusCode).toBe(401);
  }
  const signUp = { email: bea.email, password: TEST_PASSWORD, name: 'bea' };
  const welcome = await api.app.inject({ method: 'POST', url: '/auth/signup', payload: signUp });
  expect(welcome.statusCode).toBe(201);
}, 240_000);

test.for([
  ['a restore to an earlier time', 'restored'],
  ['the promotion of a standby that was behind', 'standby'],
] as const)(
  'after %s a webhook is told once, a stream of what was lost is reset once, and nothing later is missed',
  async ([, way]) => {
    await using database = await startRestorableDatabase(way);
    await using api = await startTestApi(database.url, {
      env: { WEBHOOK_NETWORKS: '127.0.0.0/8' },
    });
    const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
    await using receiver = await startReceiver();
    const ana = await api.createUser();
    const projectId = await api.createProject(ana);
    const harmed = await api.createSession(ana, projectId);
    const quiet = await api.createSession(ana, projectId);
    const { id } = await createWebhook(api, ana, projectId, {
      url: receiver.url,
      from: 'beginning',
      events: ['message.stored', 'store.restored'],
    });
    await using running = startWork(api);
    const say = async (sessionId: string) => {
      const row = spoken(sessionId);
      const isStored = async () => {
        return await append(api, [row]).then(
          () => true,
          () => false,
        );
      };
      await expect.poll(isStored).toBe(true);
      api.deps.storedNotifier.notify([sessionId]);
      running.stored(sessionId);
      return row.id;
    };
    const leaving = new AbortController();
    const follow = (sessionId: string) => {
      const seen: StreamedEvent[] = [];
      const { signal } = leaving;
      const followed = followOn(address, ana, sessionId, { seen, signal });
      // The abort may end a request. Any other failure shows among the events.
      followed.catch((error: unknown) => {
        if (!signal.aborted) seen.push({ name: String(error), id: undefined, data: {} });
      });
      return () => seen.map(({ name, data }) => data.id ?? name);
    };
    const streams = { harmed: follow(harmed), quiet: follow(quiet) };
    const received = (sessionId: string) =>
      receiver.received
        .map(({ payload }) => payload.data)
        .filter((data) => data.sessionId === sessionId);
    const idsOf = (sessionId: string) => received(sessionId).map(({ message }) => message?.id);
    const kept = { harmed: await say(harmed), quiet: await say(quiet) };
    await expect.poll(() => receiver.received).toHaveLength(2);
    // What is not noted as taken is sent again after the restore.
    await expect.poll(() => findWebhook(api, ana, id)).toMatchObject({ behind: { sessions: 0 } });
    expect(await db.noteTimeline(api.deps.database)).toBeUndefined();
    await database.keepUntilNow();
    const lost = await say(harmed);
    await expect.poll(streams.harmed).toEqual([kept.harmed, lost]);
    await expect.poll(streams.quiet).toEqual([kept.quiet]);
    await expect.poll(() => idsOf(harmed)).toEqual([kept.harmed, lost]);
    const last = received(harmed).at(-1)?.position ?? '';

    expect(await database.restore()).toMatchObject({ timeline: 2 });
    const later = { harmed: await say(harmed), quiet: await say(quiet) };
    await expect.poll(streams.harmed).toEqual([kept.harmed, lost, 'reset', later.harmed]);
    await expect.poll(streams.quiet).toEqual([kept.quiet, later.quiet]);
    await expect.poll(() => idsOf(harmed)).toEqual([kept.harmed, lost, later.harmed]);
    await expect.poll(() => idsOf(quiet)).toEqual([kept.quiet, later.quiet]);
    leaving.abort();
    const notices = () => receiver.received.filter(({ body }) => body.includes('"store.restored"'));
    await expect.poll(notices).toHaveLength(1);

    // The last positions before that floor show a receiver which session has lost something.
    const { floorAt } = JSON.parse(notices()[0]?.body ?? '').data;
    expect(last <= floorAt).toBe(true);
    const resets = await Promise.all(
      [harmed, quiet].map(async (sessionId) => {
        const positions = received(sessionId).map(({ position }) => position);
        const before = positions.filter((position) => position <= floorAt);
        expect(positions.slice(before.length)).toHaveLength(1);
        const url = `/sessions/${sessionId}/messages/latest?since=${before.at(-1)}`;
        return (await api.inject(ana, { url })).json().reset;
      }),
    );
    expect(resets).toEqual([true, undefined]);
    expect(notices()).toHaveLength(1);
    const url = `/sessions/${harmed}/messages/latest?since=${START}`;
    const { items } = (await api.inject(ana, { url })).json();
    expect(items).toMatchObject([{ id: kept.harmed }, { id: later.harmed }]);
  },
);
