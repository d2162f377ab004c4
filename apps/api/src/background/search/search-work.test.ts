import * as db from '@session/db';
import { expect, vi } from 'vitest';
import { apiTest as base } from '../../../testing/api-test.ts';
import { spoken } from '../../../testing/history.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { markAll } from '../webhooks/webhook-work.ts';
import { SearchWork } from './search-work.ts';

const TIMING = { everyMs: 20, gapMs: 1, leaseMs: 60_000 };

const test = base
  .extend('projectId', async ({ api, ana }) => await api.createProject(ana))
  .extend('sessionId', async ({ api, ana, projectId }) => await api.createSession(ana, projectId));

function startWork(database: db.DatabaseAccess) {
  const log = { info: vi.fn<() => void>(), warn: vi.fn<() => void>(), error: vi.fn<() => void>() };
  const shutdown = new ShutdownBudget(4000);
  const running = new SearchWork({ database, log, shutdown, timing: TIMING });
  return { log, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

const countRows = async ({ sql }: db.DatabaseAccess) =>
  (await sql`select from message_search`).length;

test('what was stored before and what is stored now is filled, by several processes once', async ({
  api,
  sessionId,
}) => {
  const { database } = api.deps;
  const rows = Array.from({ length: 250 }, () => spoken(sessionId));
  await db.appendMessages(database, rows);
  await using one = startWork(database);
  await using two = startWork(database);
  await markAll(database);
  await expect.poll(() => countRows(database)).toBe(250);
  await db.appendMessages(database, [spoken(sessionId)]);
  await db.markFollowers(database, [sessionId]);
  await expect.poll(() => countRows(database)).toBe(251);
  await expect
    .poll(() => db.countFollowers(database, 'search'))
    .toEqual({ waiting: 0, due: 0, overdueSeconds: 0 });
  expect([one.log.warn.mock.calls, two.log.warn.mock.calls]).toEqual([[], []]);
});

test('a session that cannot be filled waits alone, and is tried again', async ({
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
    await markAll(database);
    await using running = startWork(database);
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
