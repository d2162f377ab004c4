import type { Note } from '@session/local';
import type { Sql } from 'postgres';
import { provideDatabase } from './provide-database.ts';

const LONG_SESSIONS = 20;
const WAITING_SESSIONS = 1000;
const MEMBERS = 10;
const SHORT_LENGTH = 100;
const BATCH = 50_000;

export const PROSE =
  'So the next thing that I would like to know is whether we can move the delivery to Thursday, because on Friday nobody is in the office who could sign for it. Let me look at that for you. There are two slots left on Thursday morning, one at nine and one at half past ten; both need somebody at the door. Shall I take one of them?';

/**
 * Returns the URL of a database with `rows` messages, created once in half a minute per million. Half of the messages are in
 * 20 long sessions, the others in sessions of 100. Messages of 50 short sessions alternate on the disk, as if they had
 * arrived live.
 */
export async function provideRows(adminUrl: string, rows: number, note: Note): Promise<string> {
  return await provideDatabase(adminUrl, `bench_${rows}`, async (sql) => {
    await loadSessions(sql, rows);
    await loadMessages(sql, rows, note);
  });
}

async function loadSessions(sql: Sql, rows: number): Promise<void> {
  const short = Math.ceil(rows / 2 / SHORT_LENGTH);
  const people = Math.ceil(short / 10);
  await sql`
    insert into users (id, email, password_hash, name)
    select pg_temp.uuid_of('user ' || n), 'user-' || n || '@example.org', '', 'User ' || n from generate_series(0, ${people - 1}::int) n`;
  await sql`
    insert into projects (id, name) select pg_temp.uuid_of('project ' || n), 'Project ' || n from generate_series(0, ${people - 1}::int) n`;
  await sql`
    insert into memberships (id, user_id, project_id, role)
    select pg_temp.uuid_of('membership ' || n || ' ' || k), pg_temp.uuid_of('user ' || (n + k) % ${people}::int),
      pg_temp.uuid_of('project ' || n), case when k = 0 then 'OWNER' else 'MEMBER' end
    from generate_series(0, ${people - 1}::int) n, generate_series(0, ${Math.min(MEMBERS, people) - 1}::int) k`;
  for (const [kind, count] of Object.entries({
    long: LONG_SESSIONS,
    short,
    waiting: WAITING_SESSIONS,
  })) {
    await sql`
      insert into sessions (id, project_id, name, created_by)
      select pg_temp.uuid_of(${`${kind} `} || n), pg_temp.uuid_of('project ' || n % ${people}::int), ${`${kind} `} || n, pg_temp.uuid_of('user ' || n % ${people}::int)
      from generate_series(0, ${count - 1}::int) n`;
  }
}

async function loadMessages(sql: Sql, rows: number, note: Note): Promise<void> {
  for (let from = 0; from < rows; from += BATCH) {
    const to = Math.min(from + BATCH, rows) - 1;
    await sql`
      insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
      select
        pg_temp.uuid_of(case when n % 2 = 0 then 'long ' || n / 2 % ${LONG_SESSIONS}::int
          else 'short ' || n / 2 / 5000 * 50 + n / 2 % 50 end),
        pg_temp.uuid_of('message ' || n), t, t + interval '40 ms',
        case when n / 100 % 2 = 0 then 'user' else 'assistant' end, case when n / 100 % 2 = 0 then 'complete' end,
        case when n / 100 % 2 = 0 then 'text' else 'transcript' end,
        substr(${PROSE}, (1 + n * 13 % 90)::int, (20 + n * 7919 % 220)::int),
        jsonb_build_object('kind', 'text', 'source', 'user_text', 'rawId', pg_temp.uuid_of('message ' || n),
          'participant', jsonb_build_object('identity', 'user-' || pg_temp.uuid_of('user ' || n), 'name', 'Ana', 'sid', 'PA_' || n, 'kind', 'STANDARD'))
      from generate_series(${from}::bigint, ${to}::bigint) n,
        lateral (select timestamptz '2026-01-01' + n * interval '60 ms' as t) at`;
    note(`${Math.round((100 * to) / rows)} %`);
  }
  note('the heads');
  await sql`
    insert into session_heads (session_id, last_at, message_count)
    select s.id, coalesce(max(m."timestamp"), s.created_at), count(m.id)
    from sessions s left join messages m on m.session_id = s.id group by s.id`;
  note('vacuum');
  await sql`vacuum analyze`;
}
