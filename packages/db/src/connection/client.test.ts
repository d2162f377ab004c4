import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './client.ts';

test('connections carry a name, stop a slow statement, and return times as ISO 8601', async () => {
  await using database = await createTestDatabase();
  const settings = { applicationName: 'api-1', connections: 1, statementTimeoutMs: 1000 };
  await using client = openDatabase(database.url, settings);
  const rows = await client.sql`
    select name, setting from pg_settings where name in ('application_name', 'statement_timeout', 'lock_timeout',
      'idle_in_transaction_session_timeout', 'plan_cache_mode', 'TimeZone')`;
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    application_name: 'api-1',
    statement_timeout: '1000',
    lock_timeout: '3000',
    idle_in_transaction_session_timeout: '10000',
    plan_cache_mode: 'force_generic_plan',
    TimeZone: 'UTC',
  });
  await expect(client.sql`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' });
  expect(await client.sql`select '2026-11-21T09:00:00+01:00'::timestamptz as at`).toEqual([
    { at: '2026-11-21T08:00:00.000Z' },
  ]);
});

test('connections that die while they are opened fail their statements at most, and not the process', async () => {
  await using database = await createTestDatabase();
  await using killer = openDatabase(database.url, { connections: 1 });
  await using victims = new AsyncDisposableStack();
  const answers = Array.from({ length: 20 }, () => {
    const victim = victims.use(openDatabase(database.url, { connections: 1 }));
    return victim.sql`select 1 as answer`.catch(() => 'failed');
  });
  let deaths = 0;
  while (deaths < 20) {
    const killed = await killer.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    deaths += killed.length;
  }
  // An error that nobody can catch would fail the run.
  for (const answer of await Promise.all(answers))
    expect(['failed', [{ answer: 1 }]]).toContainEqual(answer);
});

test('a statement takes the first connection that is free, and never waits for a slow one on another', async () => {
  await using database = await createTestDatabase();
  const settings = { connections: 2, statementTimeoutMs: 10_000, lockTimeoutMs: 10_000 };
  await using client = openDatabase(database.url, settings);
  await using locks = openDatabase(database.url, { connections: 1 });
  await locks.sql`select pg_advisory_lock(lock) from generate_series(1, 3) lock`;
  const unlock = async (lock: number) => await locks.sql`select pg_advisory_unlock(${lock})`;
  const wait = (lock: number) => client.sql.unsafe(`select pg_advisory_xact_lock(${lock})`);
  const quick = () => client.sql.unsafe('select 1');
  await Promise.all([quick(), quick()]);
  const slow = wait(1).execute();
  // While both connections are taken.
  await Promise.all([quick(), quick()]);
  // Both wait when one connection becomes free.
  const others = [wait(2).execute(), wait(3).execute()];
  const last = quick().execute();
  await unlock(1);
  await slow;
  await unlock(2);
  expect(await last).toHaveLength(1);
  await unlock(3);
  expect(await Promise.all(others)).toHaveLength(2);
});

test('arrays of texts, numbers and ids come back as they were sent', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  const texts = ['', 'null', '"\\ {,} ü'];
  const ids = ['01a1fd7a-c971-7694-8392-ef82743089a4'];
  const statement =
    'select $1::text[] as texts, $2::bigint[] as bigints, $3::uuid[] as ids, $4::uuid[] as none';
  expect(await client.sql.unsafe(statement, [texts, [1, 2 ** 40], ids, []])).toEqual([
    { texts, bigints: ['1', String(2 ** 40)], ids, none: [] },
  ]);
});
