import * as db from '@session/db';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';
import { spoken } from '../../../testing/history.ts';
import { startSearchWork } from '../../../testing/search-work.ts';
import { markMoved } from '../followers/follower-marking.ts';

const countRows = async ({ sql }: db.DatabaseAccess) =>
  (await sql`select from message_search`).length;

test('messages stored before and after the start are indexed once by several processes', async ({
  api,
  sessionId,
}) => {
  const { database } = api.deps;
  const rows = Array.from({ length: 250 }, () => spoken(sessionId));
  await db.appendMessages(database, rows);
  await using one = startSearchWork(database);
  await using two = startSearchWork(database);
  await markMoved(database);
  await expect.poll(() => countRows(database)).toBe(250);
  await db.appendMessages(database, [spoken(sessionId)]);
  await db.markFollowers(database, [sessionId]);
  await expect.poll(() => countRows(database)).toBe(251);
  await expect
    .poll(() => db.countFollowers(database, 'search'))
    .toEqual({ waiting: 0, due: 0, overdueSeconds: 0 });
  expect([one.log.warn.mock.calls, two.log.warn.mock.calls]).toEqual([[], []]);
});

test('a session that cannot be indexed waits alone, and is retried', async ({
  api,
  ana,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const { sql } = database;
  const before = await countRows(database);
  const other = await api.createSession(ana, projectId);
  await sql`alter table message_search add constraint refused check (words @@ 'fine') not valid`;
  try {
    const content = 'not indexable';
    await db.appendMessages(database, [
      spoken(sessionId, { content }),
      spoken(other, { content: 'fine' }),
    ]);
    await markMoved(database);
    await using running = startSearchWork(database);
    await expect.poll(() => countRows(database)).toBe(before + 1);
    await expect
      .poll(
        () => sql`select session_id, attempts from follower_positions where failure is not null`,
      )
      .toEqual([{ session_id: sessionId, attempts: 1 }]);
    expect(running.log.warn).toHaveBeenCalledOnce();
  } finally {
    await sql`alter table message_search drop constraint refused`;
  }
});
