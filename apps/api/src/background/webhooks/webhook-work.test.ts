import type * as db from '@session/db';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { spoken } from '../../../testing/history.ts';
import { isSignedBy, type ReceiverAnswer } from '../../../testing/webhook-receiver.ts';
import {
  append,
  countGivenUp,
  createWebhook,
  findWebhook,
  idsOf,
  listDeliveries,
  startWork,
  webhookTest as test,
  WEBHOOK_TEST_TIMING,
} from '../../../testing/webhook-test.ts';

/** Answers each request once with what `fails` answers, and then with 204. */
function failsOnce(fails: ReceiverAnswer): ReceiverAnswer {
  const failed = new Set<unknown>();
  return (response, received) => {
    const id = received.headers['webhook-id'];
    if (failed.has(id)) return response.writeHead(204).end();
    failed.add(id);
    return fails(response, received);
  };
}

test('each message that is stored is sent once, in order, signed, and as readers get it', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  await append(api, [spoken(sessionId)]);
  const { id, secret } = await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  const growing = spoken(sessionId, { status: 'pending', content: 'one' });
  await append(api, [spoken(sessionId), growing]);
  await running.store({ ...growing, status: 'complete', content: 'one two' });
  await expect.poll(() => receiver.received.length).toBe(2);
  const latest = await api.inject(ana, {
    url: `/sessions/${sessionId}/messages/latest?since=2000-01-01T00:00:00Z`,
  });
  const { items } = latest.json();
  expect(receiver.received.map(({ payload }) => payload.data.message)).toEqual(items.slice(1));
  expect(receiver.received.map((received) => isSignedBy(secret, received))).toEqual([true, true]);
  await expect
    .poll(() => findWebhook(api, ana, id))
    .toMatchObject({ status: 'active', behind: { sessions: 0, since: null } });
  expect(running.log.warn).not.toHaveBeenCalled();
});

test.for<[string, ReceiverAnswer, number[]?]>([
  ['an answer 500', (response) => response.writeHead(500).end('broken')],
  ['a redirect', (response) => response.writeHead(307, { location: '/other' }).end()],
  // A reused connection may break because the receiver closes it as idle, so the request is repeated at once.
  ['a connection that breaks', (response) => response.destroy(), [2, 1, 1]],
  ['an answer that was taken, and is lost', (response) => response.socket?.destroy(), [2, 1, 1]],
])(
  'after %s a message is sent again with its id, before the next one',
  async ([, fails, attempts = [2, 2, 2]], { api, ana, projectId, sessionId, receiver }) => {
    receiver.answer = failsOnce(fails);
    const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
    await using running = startWork(api);
    const rows = Array.from({ length: 3 }, () => spoken(sessionId));
    await running.store(...rows);
    await expect.poll(() => receiver.received.length).toBe(6);
    expect(idsOf(receiver)).toEqual(rows.flatMap((row) => [row.id, row.id]));
    await expect
      .poll(() => listDeliveries(api, ana, id))
      .toMatchObject(
        attempts.toReversed().map((count) => ({ attempts: count, statusCode: 204, failure: null })),
      );
  },
);

test('a session whose message is refused waits alone, until it is given up; `active` tries it again', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const other = await api.createSession(ana, projectId);
  let isBroken = true;
  receiver.answer = (response, { payload }) =>
    response.writeHead(isBroken && payload.data.sessionId === sessionId ? 400 : 204).end();
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const givenUp = await countGivenUp(api, 'session');
  await using running = startWork(api, { ...WEBHOOK_TEST_TIMING, horizonMs: 0 });
  const [bad, good] = [spoken(sessionId), spoken(other)];
  await running.store(bad, good);
  await expect.poll(() => idsOf(receiver)).toContain(good.id);
  const find = () => findWebhook(api, ana, id);
  await expect.poll(find).toMatchObject({ status: 'dead', lastFailure: 'HTTP 400' });
  await expect.poll(() => countGivenUp(api, 'session')).toBe(givenUp + 1);
  isBroken = false;
  const count = receiver.received.length;
  const payload = { status: 'active' };
  await api.inject(ana, { method: 'PATCH', url: `/webhooks/${id}`, payload });
  await expect.poll(() => idsOf(receiver).slice(count)).toEqual([bad.id]);
  await expect.poll(find).toMatchObject({ status: 'active' });
});

test('a receiver that was down until its webhook rested gets all that was stored meanwhile, in order', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const sessions = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
  ];
  let isDown = true;
  receiver.answer = (response) => {
    if (isDown) response.destroy();
    else response.writeHead(204).end();
  };
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  const rows: db.NewMessageRow[] = [];
  const isResting = async () =>
    (await api.deps.database.sql`select from followers where id = ${id} and failures > 5`).length;
  await expect
    .poll(async () => {
      const batch = sessions.map((sessionId) => spoken(sessionId));
      rows.push(...batch);
      await running.store(...batch);
      return await isResting();
    })
    .toBe(1);
  const count = receiver.received.length;
  isDown = false;
  for (const sessionId of sessions) {
    const ids = rows.filter((row) => row.sessionId === sessionId).map((row) => row.id);
    const taken = () =>
      receiver.received
        .slice(count)
        .map(({ payload }) => payload.data)
        .filter((data) => data.sessionId === sessionId)
        .map(({ message }) => message?.id);
    await expect.poll(taken).toEqual(ids);
  }
  await expect.poll(() => findWebhook(api, ana, id)).toMatchObject({ status: 'active' });
});

test('several processes, of which some end and others begin: nothing is missing, and nothing comes after what is newer', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const sessions = await Promise.all(
    Array.from({ length: 6 }, async () => await api.createSession(ana, projectId)),
  );
  await createWebhook(api, ana, projectId, { url: receiver.url });
  receiver.answer = (response) => {
    // A tenth of the requests breaks after they were taken.
    if (Math.random() < 0.1) response.destroy();
    else response.writeHead(204).end();
  };
  const rows: db.NewMessageRow[] = [];
  let [one, two] = [startWork(api), startWork(api)];
  try {
    for (let turn = 0; turn < 15; turn += 1) {
      const batch = sessions.map((id) => spoken(id));
      rows.push(...batch);
      await append(api, batch);
      one.stored(sessions.join());
      two.stored(sessions.join());
      if (turn % 5 === 4) {
        const ended = one;
        [one, two] = [two, startWork(api)];
        await ended[Symbol.asyncDispose]();
      }
    }
    const missing = () => new Set(rows.map(({ id }) => id)).difference(new Set(idsOf(receiver)));
    await expect.poll(() => missing().size).toBe(0);
  } finally {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
  }
  for (const sessionId of sessions) {
    const positions = receiver.received
      .map(({ payload }) => payload.data)
      .filter((data) => data.sessionId === sessionId)
      .map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
  }
});

test('a process that was frozen while it sent stops when it wakes: the session has another', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { promise: frozen, resolve: wake } = Promise.withResolvers<void>();
  let isFirst = true;
  receiver.answer = async (response) => {
    const isFrozen = isFirst;
    isFirst = false;
    if (isFrozen) await frozen;
    response.writeHead(204).end();
  };
  await createWebhook(api, ana, projectId, { url: receiver.url });
  const rows = [spoken(sessionId), spoken(sessionId)];
  await append(api, rows);
  await using first = startWork(api);
  first.stored(sessionId);
  await expect.poll(() => receiver.received.length).toBe(1);
  await using second = startWork(api);
  // The lease of the first one expires.
  await api.deps.database.sql`
    update follower_positions set next_attempt_at = now() where session_id = ${sessionId}`;
  second.stored(sessionId);
  await expect.poll(() => receiver.received.length).toBe(3);
  wake();
  const [one, two] = rows;
  await first[Symbol.asyncDispose]();
  expect(idsOf(receiver)).toEqual([one?.id, one?.id, two?.id]);
});

test('while all sessions are being checked for messages that no notification named, others are sent', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { promise: checked, resolve: check } = Promise.withResolvers<object[]>();
  const database = answeredDatabase(api.deps.database, (name) =>
    name === 'mark_followers_from' ? checked : undefined,
  );
  await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork({ ...api, deps: { ...api.deps, database } });
  running.stored('');
  const row = spoken(sessionId);
  await running.store(row);
  await expect.poll(() => idsOf(receiver)).toEqual([row.id]);
  check([]);
});
