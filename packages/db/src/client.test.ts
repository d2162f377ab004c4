import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './client.ts';

test('connections say whose they are, stop a statement in time, and speak UTC in plain text', async () => {
  await using database = await createTestDatabase();
  const settings = { applicationName: 'api-1', connections: 1, statementTimeoutMs: 50 };
  await using client = openDatabase(database.url, settings);
  const rows = await client.sql`
    select name, setting from pg_settings where name in ('application_name', 'statement_timeout', 'lock_timeout',
      'idle_in_transaction_session_timeout', 'TimeZone')`;
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    application_name: 'api-1',
    statement_timeout: '50',
    lock_timeout: '3000',
    idle_in_transaction_session_timeout: '10000',
    TimeZone: 'UTC',
  });
  await expect(client.sql`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' });
  expect(await client.sql`select '2026-11-21T09:00:00+01:00'::timestamptz as at`).toEqual([
    { at: '2026-11-21 08:00:00+00' },
  ]);
});
