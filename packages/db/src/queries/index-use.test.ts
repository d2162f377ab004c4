import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { FIRST, stepsOf } from '../../testing/hot-steps.ts';
import { unusedIndexes, wholeReads } from '../../testing/index-reads.ts';
import { insertManyRows, SMALL_TABLES } from '../../testing/many-rows.ts';
import { statementsByModule } from '../../testing/statements-by-module.ts';
import { type Database, openDatabase } from '../connection/client.ts';
import { allRows } from '../statement/rows.ts';
import { statement } from '../statement/statement.ts';

/** How often each step runs. The first run plans the statement, once for all values. */
const TIMES = 3;

/**
 * `MESSAGES=1000000` compares, with this many messages, how long each step takes with a generic plan and with a plan
 * for its values.
 */
const MESSAGES = Number(process.env['MESSAGES'] ?? 0);

const SMALL = new Set([...SMALL_TABLES, 'agent_secrets']);

/** Statements that may read a whole table, with the reason. */
const WHOLE_TABLES: Readonly<Record<string, string>> = {
  // Each recorder runs it about every two seconds, and it compares all slots with all sessions.
  provide_slots: 'recording_assignments, sessions',
  // PostgreSQL expects a hundred intervals, and reads none when no message of the batch names one. Where there are more
  // intervals than in this test, it uses the index.
  append_messages: 'recording_intervals',
  append_unlocked_messages: 'recording_intervals',
  // One process runs it once a minute, and compares only the keys. Templates are few, unlike sessions and messages.
  list_env_templates_of_other_keys: 'env_templates',
  // It counts the recorded sessions of each account, only when there are fewer rooms than slots to claim.
  claim_slots: 'recording_assignments',
  // It is run once, after a restore, and looks at every ACTIVE session and every webhook.
  close_restored_history: 'followers, recording_intervals, sessions',
  // Each API process holds the whole table in memory, and reads it when it starts to listen.
  list_ended_tokens: 'ended_tokens',
  // One process runs it once a minute.
  forget_ended_tokens: 'ended_tokens',
  // Each API process runs it once a second: one row for each webhook.
  list_due_webhooks: 'followers',
  // One process runs it at each reading of the metrics.
  count_webhook_sessions: 'followers',
  // One process runs it once a second: one row for each webhook.
  list_active_followers: 'followers',
  // One process runs it once a minute.
  delete_gone_followers: 'followers, projects',
  // One process runs it at each reading of the metrics, and counts all slots of all active sessions.
  count_recording: 'recording_assignments, sessions',
};

/** Has many rows; no test changes what another one needs. */
let filled: Database;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  filled = stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 }));
  await insertManyRows(filled.sql);
  return () => stack.disposeAsync();
});

test('the plan of every statement without its values reads no whole table that grows', async () => {
  const statements = Object.values(await statementsByModule()).flat();
  expect(statements.length).toBeGreaterThan(90);
  const found: Record<string, string> = {};
  for (const { name, text } of statements) {
    const tables = await wholeTables(filled.sql, text);
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
  const find = statement('find', (id: string) => [id], allRows)`
select from users where id = $1::uuid`;
  for (let turn = 0; turn < 10; turn += 1) {
    await find(own, '01a1fd7a-c971-7694-8392-ef82743089a4');
  }
  const [plans] = await own.sql`
    select generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where statement like '/* find */%'`;
  expect(plans).toEqual({ generic: '10', custom: '0' });
});

test('no hot statement reads a whole table, and every index serves a statement', async () => {
  const { sql } = filled;
  await sql`select pg_stat_reset()`;
  const whole: string[] = [];
  let before = await wholeReads(sql);
  for (const [name, step] of Object.entries(stepsOf(filled))) {
    for (let turn = 1; turn <= TIMES; turn += 1) await step(FIRST + turn);
    const after = await wholeReads(sql);
    for (const [table, count] of after) {
      if (count > (before.get(table) ?? 0) && !SMALL.has(table)) whole.push(`${name}: ${table}`);
    }
    before = after;
  }
  expect(whole).toEqual([]);
  expect(await unusedIndexes(sql)).toEqual([]);
});

test.runIf(MESSAGES > 0)(
  'each step with a generic plan and with one for its values',
  async () => {
    await using database = await createTestDatabase();
    await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 600_000 });
    await insertManyRows(own.sql, MESSAGES);
    const lines: string[] = [];
    for (const [name, step] of Object.entries(stepsOf(own))) {
      const generic: number[] = [];
      const custom: number[] = [];
      for (let turn = 1; turn <= 18; turn += 1) {
        const mode = turn % 2 === 0 ? 'generic' : 'custom';
        await own.sql.unsafe(`set plan_cache_mode = force_${mode}_plan`);
        const from = performance.now();
        await step(FIRST + turn);
        (mode === 'generic' ? generic : custom).push(performance.now() - from);
      }
      lines.push(`| ${name} | ${middle(custom)} | ${middle(generic)} |`);
    }
    process.stdout.write(
      `| step | planned for its values, ms | generic, ms |\n${lines.join('\n')}\n`,
    );
    expect(lines).toHaveLength(Object.keys(stepsOf(own)).length);
  },
  3_600_000,
);

function middle(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(2);
}

/** Returns the large tables that the generic plan of a statement reads as a whole, by their names. */
async function wholeTables(sql: Sql, text: string): Promise<string[]> {
  const rows = await sql.unsafe(`explain (generic_plan, costs off) ${text}`);
  const tables = rows.flatMap(
    (row) => /Seq Scan on (\w+)/.exec(String(row['QUERY PLAN']))?.[1] ?? [],
  );
  return [...new Set(tables)].filter((table) => !SMALL_TABLES.has(table)).toSorted();
}
