import type { Note } from '@session/local';
import type { Sql } from 'postgres';
import { PROSE } from './load-rows.ts';
import { provideDatabase } from './provide-database.ts';

const SESSION_LENGTH = 1000;
const PROJECTS = 100;
/** The number of sessions with made texts. Session n + 200 has the project of session n, and copies of its texts. */
export const MADE_SESSIONS = 2 * PROJECTS;
const MADE = MADE_SESSIONS * SESSION_LENGTH;

export const SEARCHER = 'searcher';

/**
 * Returns the URL of a database with `rows` messages, to the nearest 200,000, which is created once. Half are in one project,
 * the others in 100. Of 100,000 messages 56,000 say `half`, 10,000 `tenth`, 300 `uncommon`, and one says `rare`.
 */
export async function provideWords(adminUrl: string, rows: number, note: Note): Promise<string> {
  return await provideDatabase(adminUrl, `bench_words_${rows}`, async (sql) => {
    const copies = Math.max(1, Math.round(rows / MADE) - 1);
    await loadProjects(sql, (1 + copies) * MADE_SESSIONS);
    await loadTexts(sql);
    for (let copy = 1; copy <= copies; copy += 1) {
      note(`${Math.round((100 * copy) / copies)} %`);
      await copyTexts(sql, copy);
    }
    await sql`
      insert into session_heads (session_id, last_at, message_count)
      select s.id, max(m."timestamp"), count(*) from sessions s join messages m on m.session_id = s.id group by s.id`;
    await sql`vacuum analyze`;
  });
}

async function loadProjects(sql: Sql, sessions: number): Promise<void> {
  await sql`
    insert into users (id, email, password_hash, name)
    values (pg_temp.uuid_of(${SEARCHER}), 'searcher@example.org', '', 'Searcher')`;
  await sql`
    insert into projects (id, name)
    select pg_temp.uuid_of('project ' || n), 'Project ' || n from generate_series(0, ${PROJECTS}::int) n`;
  await sql`
    insert into memberships (id, user_id, project_id, role)
    select pg_temp.uuid_of('membership ' || n), pg_temp.uuid_of(${SEARCHER}), pg_temp.uuid_of('project ' || n), 'MEMBER'
    from generate_series(0, 1) n`;
  await sql`
    insert into sessions (id, project_id, name, created_by)
    select pg_temp.uuid_of('session ' || n),
      pg_temp.uuid_of('project ' || case when n % 2 = 0 then 0 else 1 + n / 2 % ${PROJECTS}::int end),
      'Session ' || n, pg_temp.uuid_of(${SEARCHER})
    from generate_series(0, ${sessions - 1}::int) n`;
}

/** Returns the query for each made session and its copy number `copy`, with the time between both. */
export function copiesText(copy: number): string {
  return `
    select made.id as made_id, copied.id as session_id, ${copy} * interval '1 h' as later
    from sessions made
    join sessions copied on copied.name = 'Session ' || substr(made.name, 9)::int + ${copy * MADE_SESSIONS}
    where substr(made.name, 9)::int < ${MADE_SESSIONS}`;
}

async function copyTexts(sql: Sql, copy: number): Promise<void> {
  await sql.unsafe(`
    insert into messages (session_id, id, "timestamp", created_at, role, kind, content, metadata)
    select copy.session_id, said.id, said."timestamp" + later, said.created_at + later, role, kind, content, metadata
    from (${copiesText(copy)}) copy
    join messages said on said.session_id = copy.made_id`);
}

async function loadTexts(sql: Sql): Promise<void> {
  await sql`
    insert into messages (session_id, id, "timestamp", created_at, role, kind, content, metadata)
    select
      pg_temp.uuid_of('session ' || n / ${SESSION_LENGTH}::int), pg_temp.uuid_of('message ' || n), t, t, 'user', 'text',
      concat_ws(' ', substr(${PROSE}, (1 + n * 13 % 90)::int, (20 + n * 7919 % 220)::int),
        case when n % 2 = 0 then 'half' end, case when n % 10 = 1 then 'tenth' end,
        case when n % 1000 in (17, 418, 819) then 'uncommon' end, case when n % 100000 = 50 then 'rare' end),
      jsonb_build_object('kind', 'text', 'participant', null)
    from generate_series(0, ${MADE - 1}::bigint) n,
      lateral (select timestamptz '2026-01-01' + n * interval '10 ms' as t) at`;
}
