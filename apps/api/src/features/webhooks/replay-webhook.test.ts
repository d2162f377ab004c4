import { openDatabase } from '@session/db';
import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  idsOf,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';

test('202 with the number of sessions, whose messages are sent again under their ids', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const events = ['message.stored'];
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url, events });
  await using running = startWork(api);
  const rows = [spoken(sessionId), spoken(sessionId)];
  await append(api, rows);
  running.stored(sessionId);
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect
    .poll(async () => (await api.inject(ana, { url: `/webhooks/${id}` })).json().behind.sessions)
    .toBe(0);
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/webhooks/${id}/replay`,
    payload: { since: '2020-01-01T00:00:00Z' },
  });
  expect([answer.statusCode, answer.json()]).toEqual([202, { sessions: 1 }]);
  await expect.poll(() => receiver.received.length).toBe(4);
  const sent = rows.map((row) => row.id);
  expect(idsOf(receiver)).toEqual([...sent, ...sent]);
  const [one, two, again] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(one).not.toBe(two);
  expect(again).toBe(one);
});

test.for([
  [1, 12],
  [12, 1],
] as const)(
  '202 for replays to %s webhooks, %s of each at once, of which one waits for rows, and 200 from other routes, because they leave connections free',
  async ([webhooks, replaysOfEach], { api, ana, projectId, database }) => {
    const ids = await createHooks(api, ana, projectId, webhooks);
    const lock = await lockPositions(database.url);
    await using _ = lock;
    await using other = await startTestApi(`${database.url}?lock_timeout=0`);
    const replays = ids.flatMap((id) =>
      Array.from({ length: replaysOfEach }, () => replay(other, ana, id)),
    );
    const waiting = () => listWaiting(api);
    await expect.poll(waiting).toHaveLength(1);
    // More requests than a replay has statements.
    for (let count = 0; count < 20; count += 1) {
      expect((await other.inject(ana, { url: '/projects' })).statusCode).toBe(200);
    }
    expect(await waiting()).toHaveLength(1);
    await lock[Symbol.asyncDispose]();
    expect(new Set(await Promise.all(replays))).toEqual(new Set([202]));
  },
);

test('202 for a replay while a long one of another webhook goes on, because each batch has a turn', async ({
  api,
  ana,
  projectId,
  database,
}) => {
  const [long = '', short = ''] = await createHooks(api, ana, projectId, 2);
  let batches = 0;
  let isLong = true;
  await using own = openDatabase(database.url);
  const endless = answeredDatabase(own, (name, [id]) => {
    if (name !== 'replay_follower' || id !== long) return undefined;
    batches += 1;
    return new Promise((resolve) => setImmediate(resolve, isLong ? [{ last: uuidv7() }] : []));
  });
  await using other = await startTestApi(database.url, { deps: { database: endless } });
  const first = replay(other, ana, long);
  await expect.poll(() => batches).toBeGreaterThan(0);
  const second = await replay(other, ana, short);
  isLong = false;
  expect([await first, second]).toEqual([202, 202]);
});

test('503 for replays whose rows are locked for longer, of which one still waits in the database', async ({
  api,
  ana,
  projectId,
  database,
}) => {
  const [id = ''] = await createHooks(api, ana, projectId, 1);
  await using _ = await lockPositions(database.url);
  const timeLimits = { requestMs: 400, statementMs: 300, serverMs: 120_000 };
  await using other = await startTestApi(`${database.url}?lock_timeout=0`, { timeLimits });
  const listWaitingAfter = async (count: number) => {
    const replays = Array.from({ length: count }, () => replay(other, ana, id));
    expect(new Set(await Promise.all(replays))).toEqual(new Set([503]));
    return await listWaiting(api);
  };
  // Several times, because some requests end before they have found the webhook.
  await expect.poll(() => listWaitingAfter(1)).toHaveLength(1);
  expect(await listWaitingAfter(12)).toHaveLength(1);
});

/** Returns the ids of webhooks that have one session each to send again. */
async function createHooks(api: TestApi, user: TestUser, projectId: string, count: number) {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { id } = await createWebhook(api, user, projectId, { url: 'https://example.org/hook' });
    await api.deps.database.sql`
      insert into follower_positions (follower_id, session_id, position, wanted)
      values (${id}, gen_random_uuid(), now(), now())`;
    ids.push(id);
  }
  return ids;
}

async function lockPositions(url: string): Promise<AsyncDisposable> {
  return await holdLocks(url, (holder) => holder`select from follower_positions for no key update`);
}

async function replay(api: TestApi, user: TestUser, id: string): Promise<number> {
  const payload = { since: '2020-01-01T00:00:00Z' };
  const request = { method: 'POST', url: `/webhooks/${id}/replay`, payload } as const;
  return (await api.inject(user, request)).statusCode;
}

async function listWaiting(api: TestApi): Promise<readonly unknown[]> {
  return await api.deps.database.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
}
