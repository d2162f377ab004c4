import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { insertManySessions } from '../../testing/many-sessions.ts';
import { type Database, openDatabase } from '../connection/client.ts';
import * as filteredMessages from './messages/filtered-messages.ts';
import * as auditEvents from './operations/audit-events.ts';
import * as endUserSessions from './sessions/end-user-sessions.ts';
import * as retention from './sessions/retention.ts';
import * as sessionLists from './sessions/session-lists.ts';
import * as sessionSearch from './sessions/session-search.ts';
import * as unmarkedSessions from './sessions/unmarked-sessions.ts';

const ROWS = 5000;

const MODULES: readonly object[] = [
  auditEvents,
  endUserSessions,
  filteredMessages,
  retention,
  sessionLists,
  sessionSearch,
  unmarkedSessions,
];

const READS =
  /(?:Seq|Bitmap Index) Scan (?:using|on) ((?:session_end_users|(?:sessions|messages|audit_events))\w*)/;

let filled: Database;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  filled = stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 }));
  const { sql } = filled;
  await insertManySessions(sql, ROWS);
  await sql`
    insert into audit_events (id, project_id, at, actor, action, target)
    select gen_random_uuid(), project_id, created_at, created_by, 'member.added', id from sessions`;
  await sql`
    insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
    select first_value(id) over (), id, created_at + row_number() over () * interval '1 ms', created_at,
      'user', 'complete', 'text', name, '{"rawId": null}'
    from sessions`;
  return () => stack.disposeAsync();
}, 60_000);

test.each([1, 10, 100, 1000, 10_000])(
  'no list sorts all rows of a project or a session, when PostgreSQL expects so many of them: %s',
  async (count) => {
    const { sql } = filled;
    await pretend(sql, 'sessions', { project_id: count });
    await pretend(sql, 'session_end_users', { project_id: count, user_id: 10 * count });
    await pretend(sql, 'audit_events', { project_id: count });
    await pretend(sql, 'messages', { session_id: count });
    const found: Record<string, string[]> = {};
    for (const value of MODULES.flatMap((module) => Object.values(module))) {
      if (typeof value?.text !== 'string' || value.name.startsWith('delete')) continue;
      const rows = await sql.unsafe(`explain (generic_plan, costs off) ${value.text}`);
      const reads = rows.flatMap((row) => READS.exec(String(row['QUERY PLAN']))?.[1] ?? []);
      if (reads.length > 0) found[value.name] = reads;
    }
    // The index of terms collects what it finds, of which a page looks at some.
    expect(found).toEqual({
      find_sessions: ['sessions_terms'],
      find_sessions_from_oldest: ['sessions_terms'],
    });
  },
);

/** Makes PostgreSQL expect these numbers of distinct values in the columns. */
async function pretend(sql: Sql, table: string, values: Readonly<Record<string, number>>) {
  for (const [column, count] of Object.entries(values)) {
    await sql.unsafe(`alter table ${table} alter ${column} set (n_distinct = ${count})`);
  }
  await sql.unsafe(`analyze ${table}`);
}
