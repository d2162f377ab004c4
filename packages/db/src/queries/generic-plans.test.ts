import { readdir } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { expect, test } from 'vitest';
import { insertManyRows, SMALL_TABLES } from '../../testing/many-rows.ts';
import { openDatabase } from '../connection/client.ts';
import { statement } from '../statement/statement.ts';

/** Statements that may read a whole table, with the reason. */
const WHOLE_TABLES: Readonly<Record<string, string>> = {
  // Every process runs it rarely, and it compares all slots with all sessions.
  provide_slots: 'recording_assignments, sessions',
  // PostgreSQL expects a hundred intervals, and reads none when no message of the batch names one. Where there are more
  // intervals than in this test, it uses the index.
  append_messages: 'recording_intervals',
  append_unlocked_messages: 'recording_intervals',
  // One process runs it once a minute, and compares the keys only: there are few templates beside sessions and messages.
  list_env_templates_of_other_keys: 'env_templates',
  // It counts the recorded sessions of each project, only when there are fewer places than slots to claim.
  claim_slots: 'recording_assignments',
  // It is run once, after a restore, and looks at every ACTIVE session.
  close_restored_history: 'recording_intervals, sessions',
  // Each API process holds the whole table in memory, and reads it when it starts to listen.
  list_ended_tokens: 'ended_tokens',
  // One process runs it once a minute.
  forget_ended_tokens: 'ended_tokens',
  // Each API process runs it once a second: one row for each webhook.
  list_due_webhooks: 'followers',
  // One process runs it at each reading of the metrics.
  count_webhook_sessions: 'followers',
  // One process runs these once a minute.
  mark_followers_from: 'followers',
  delete_gone_followers: 'followers, projects',
  // One process runs it at each reading of the metrics, and counts all slots of all active sessions.
  count_recording: 'recording_assignments, sessions',
};

const queriesFolder = new URL('./', import.meta.url);

test('the plan of every statement without its values reads no whole table that grows', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 60_000 });
  await insertManyRows(own.sql);
  const texts = await exportedTexts();
  expect(texts.size).toBeGreaterThan(90);
  const found: Record<string, string> = {};
  for (const [name, text] of texts) {
    const tables = await wholeTables(own.sql, text);
    if (tables.length > 0) found[name] = tables.join(', ');
  }
  const unexpected = Object.entries(found).filter(
    ([name, tables]) => WHOLE_TABLES[name] !== tables,
  );
  expect(unexpected).toEqual([]);
});

test('a statement is planned once for each connection, not once for each of its values', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1 });
  const find = statement<[id: string]>('find', 'select from users where id = $1::uuid');
  for (let turn = 0; turn < 10; turn += 1) {
    await find.run(own, '01a1fd7a-c971-7694-8392-ef82743089a4');
  }
  const [plans] = await own.sql`
    select generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where statement like '/* find */%'`;
  expect(plans).toEqual({ generic: '10', custom: '0' });
});

/** Returns the text of every statement that a query module exports, by its name. */
async function exportedTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const files = await readdir(queriesFolder, { recursive: true });
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const module: Record<string, unknown> = await import(new URL(file, queriesFolder).href);
    for (const value of Object.values(module)) {
      if (typeof value !== 'object' || value === null) continue;
      if ('name' in value && 'text' in value) texts.set(String(value.name), String(value.text));
    }
  }
  return texts;
}

/** Returns the large tables that the generic plan of a statement reads as a whole, by their names. */
async function wholeTables(sql: Sql, text: string): Promise<string[]> {
  const rows = await sql.unsafe(`explain (generic_plan, costs off) ${text}`);
  const tables = rows.flatMap(
    (row) => /Seq Scan on (\w+)/.exec(String(row['QUERY PLAN']))?.[1] ?? [],
  );
  return [...new Set(tables)].filter((table) => !SMALL_TABLES.has(table)).toSorted();
}
