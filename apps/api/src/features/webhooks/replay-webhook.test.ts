import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
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

test('202 for each of 12 replays at once, of which one at a time waits for rows, and other routes answer meanwhile', async ({
  api,
  ana,
  projectId,
  database,
}) => {
  const { sql } = api.deps.database;
  const { id } = await createWebhook(api, ana, projectId, { url: 'https://example.org/hook' });
  await sql`
    insert into follower_positions (follower_id, session_id, position, wanted)
    values (${id}, gen_random_uuid(), now(), now())`;
  const lock = await holdLocks(
    database.url,
    (holder) => holder`select from follower_positions where follower_id = ${id} for no key update`,
  );
  await using _ = lock;
  await using other = await startTestApi(`${database.url}?lock_timeout=0`);
  const url = `/webhooks/${id}/replay`;
  const payload = { since: '2020-01-01T00:00:00Z' };
  const replays = Array.from({ length: 12 }, () =>
    other.inject(ana, { method: 'POST', url, payload }),
  );
  const waiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  // More often than a replay has statements.
  for (let count = 0; count < 20; count += 1) {
    expect((await other.inject(ana, { url: '/projects' })).statusCode).toBe(200);
  }
  expect(await waiting()).toHaveLength(1);
  await lock[Symbol.asyncDispose]();
  const statuses = (await Promise.all(replays)).map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([202]));
});
