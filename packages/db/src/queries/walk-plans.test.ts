import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { insertManySessions } from '../../../testing/many-sessions.ts';
import { type Database, openDatabase } from '../../connection/client.ts';
import * as endUserSessions from './end-user-sessions.ts';
import * as sessionLists from './session-lists.ts';
import * as sessionSearch from './session-search.ts';

let filled: Database;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  filled = stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 }));
  await insertManySessions(filled.sql, 5000);
  return () => stack.disposeAsync();
}, 60_000);

test.each([1, 10, 100, 1000, 10_000])(
  'whether a database has few projects or many, no list sorts all sessions of a project: %s',
  async (projects) => {
    const { sql } = filled;
    await pretend(sql, 'sessions', { project_id: projects });
    await pretend(sql, 'session_end_users', { project_id: projects, user_id: 10 * projects });
    const found: Record<string, string[]> = {};
    const modules = { ...endUserSessions, ...sessionLists, ...sessionSearch };
    for (const value of Object.values(modules)) {
      if (typeof value !== 'object' || !('text' in value)) continue;
      const rows = await sql.unsafe(`explain (generic_plan, costs off) ${value.text}`);
      const scans = rows.flatMap(
        (row) =>
          /(?:Seq|Bitmap Index) Scan (?:using|on) (sessions?_\w+)/.exec(
            String(row['QUERY PLAN']),
          )?.[1] ?? [],
      );
      if (scans.length > 0) found[value.name] = scans;
    }
    // The search by terms alone collects what it finds, of which it reads so many as the page may look at.
    expect(found).toEqual({
      find_sessions: ['sessions_terms'],
      find_sessions_from_oldest: ['sessions_terms'],
    });
  },
);

/** Tells PostgreSQL that these columns have so many values. */
async function pretend(sql: Sql, table: string, values: Readonly<Record<string, number>>) {
  for (const [column, count] of Object.entries(values)) {
    await sql.unsafe(`alter table ${table} alter ${column} set (n_distinct = ${count})`);
  }
  await sql.unsafe(`analyze ${table}`);
}
