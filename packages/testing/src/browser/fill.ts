import { createHash, randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';

const WORDS =
  'So the next thing that I would like to know is whether we can move the delivery to Thursday, because on Friday nobody is in the office who could sign for it. There are two slots left on Thursday morning, one at nine and one at half past ten.';

/**
 * Fills the history of a session with `count` messages, one a second, the last one a minute ago. Two senders take turns, and the
 * rows have from one to four lines.
 */
export async function fillMessages(
  databaseUrl: string,
  sessionId: string,
  count: number,
): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    const start = sql`now() - interval '1 minute' - ${count} * interval '1 second'`;
    await sql`update sessions set created_at = ${start} - interval '1 second' where id = ${sessionId}`;
    await sql`
      insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
      select ${sessionId}, gen_random_uuid(), date_trunc('milliseconds', ${start} + n * interval '1 second'), now(),
        case when n % 2 = 0 then 'user' else 'assistant' end, 'complete', 'text',
        'Message ' || n || '. ' || substr(${WORDS}, 1, (10 + n * 7919 % 220)::int),
        jsonb_build_object('kind', 'text', 'source', 'user_text', 'participant',
          jsonb_build_object('identity', 'someone-' || n % 2, 'name', case when n % 2 = 0 then 'Ravi' else 'Mina' end, 'sid', null, 'kind', 'standard'))
      from generate_series(1, ${count}::int) n`;
    await sql`
      insert into session_heads (session_id, last_at, message_count)
      select session_id, max("timestamp"), count(*) from messages where session_id = ${sessionId} group by session_id
      on conflict (session_id) do update set last_at = excluded.last_at, message_count = excluded.message_count`;
    await sql`analyze messages`;
  });
}

/**
 * Makes each message of a session whose number is a multiple of `every` the mark of a gap of eight seconds that ended there, and
 * adds the intervals between the gaps.
 */
export async function fillGaps(
  databaseUrl: string,
  sessionId: string,
  every: number,
): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    const utc = (at: ReturnType<typeof sql>) =>
      sql`to_char((${at}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    await sql`
      with numbered as (
        select id, "timestamp" as at, row_number() over (order by "timestamp") as n from messages where session_id = ${sessionId}
      )
      update messages set role = 'system', status = null, kind = 'recording_gap', content = 'Nothing was recorded',
        metadata = jsonb_build_object('kind', 'recording_gap', 'participant', null, 'source', 'recorder',
          'reason', 'connection_lost', 'from', ${utc(sql`at - interval '8 seconds'`)}, 'to', ${utc(sql`at`)})
      from numbered where messages.session_id = ${sessionId} and messages.id = numbered.id and n % ${every}::int = 0`;
    await sql`
      insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
      select session_id, gen_random_uuid(), gen_random_uuid(),
        coalesce(lag("timestamp") over (order by "timestamp"), "timestamp" - ${every} * interval '1 second'),
        "timestamp" - interval '8 seconds', 'connection_lost'
      from messages where session_id = ${sessionId} and kind = 'recording_gap'`;
  });
}

/** Adds `count` closed sessions to a project, one an hour. */
export async function fillSessions(
  databaseUrl: string,
  projectId: string,
  userId: string,
  count: number,
): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    await sql`
      insert into sessions (id, project_id, name, created_by, created_at, status, closed_at, close_reason)
      select gen_random_uuid(), ${projectId}, 'Session ' || n, ${userId}, at, 'CLOSED', at + interval '20 minutes', 'user'
      from generate_series(1, ${count}::int) n, lateral (select now() - n * interval '1 hour' as at) times`;
    await sql`
      insert into session_heads (session_id, last_at)
      select id, created_at from sessions where project_id = ${projectId}
      on conflict do nothing`;
  });
}

export interface SaidLine {
  readonly atSeconds: number;
  readonly role: 'user' | 'assistant';
  readonly name: string;
  readonly words: string;
}

interface TalkToFill {
  readonly minutes: number;
  readonly gapAtSeconds: number;
  readonly lines: readonly SaidLine[];
}

/**
 * Moves a session that began just now `minutes` into the past, and fills its history with `lines`. Nothing was recorded for
 * eight seconds from `gapAtSeconds` on.
 */
export async function fillTalk(
  databaseUrl: string,
  sessionId: string,
  { minutes, gapAtSeconds, lines }: TalkToFill,
): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    const ago = sql`${minutes} * interval '1 minute'`;
    await sql`update messages set "timestamp" = "timestamp" - ${ago} where session_id = ${sessionId}`;
    const [session] = await sql<{ at: Date }[]>`
      update sessions set created_at = created_at - ${ago} where id = ${sessionId} returning created_at as at`;
    if (!session) throw new Error(`there is no session ${sessionId}`);
    const after = (seconds: number) =>
      new Date(session.at.getTime() + seconds * 1000).toISOString();
    const [from, to] = [after(gapAtSeconds), after(gapAtSeconds + 8)];
    await sql`update recording_intervals set from_at = ${to} where session_id = ${sessionId}`;
    await sql`
      insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
      values (${sessionId}, gen_random_uuid(), gen_random_uuid(), ${after(1)}, ${from}, 'connection_lost')`;
    const gap = { reason: 'connection_lost', from, to, participant: null, source: 'recorder' };
    await sql`
      insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
      values (${sessionId}, gen_random_uuid(), ${to}, now(), 'system', null, 'recording_gap', 'Nothing was recorded',
        ${sql.json({ kind: 'recording_gap', ...gap })})`;
    for (const { atSeconds, role, name, words } of lines) {
      const kind = role === 'user' ? 'standard' : 'agent';
      const participant = { identity: name, name, sid: null, kind };
      await sql`
        insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
        values (${sessionId}, gen_random_uuid(), ${after(atSeconds)}, now(), ${role}, 'complete', 'text', ${words},
          ${sql.json({ kind: 'text', source: 'user_text', participant })})`;
    }
    await sql`
      update session_heads set last_at = (select max("timestamp") from messages where session_id = ${sessionId})
      where session_id = ${sessionId}`;
  });
}

/** Stores a `tool_call` message of an agent for each of `payloads`, with the current time. */
export async function fillToolCalls(
  databaseUrl: string,
  sessionId: string,
  payloads: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const identity = 'agent-light-agent-1a2b3c4d';
  const participant = { identity, name: 'light-agent', sid: null, kind: 'agent' };
  await withDatabase(databaseUrl, async (sql) => {
    for (const payload of payloads) {
      const metadata = { kind: 'tool_call', source: 'tool_call', participant, payload };
      await sql`
        insert into messages (session_id, id, "timestamp", created_at, role, status, kind, content, metadata)
        values (${sessionId}, gen_random_uuid(), date_trunc('milliseconds', clock_timestamp()), now(), 'system', null, 'tool_call',
          ${`${String(payload['tool'])}: ${String(payload['state'])}`}, ${sql.json(JSON.parse(JSON.stringify(metadata)))})`;
    }
    await sql`
      update session_heads set last_at = (select max("timestamp") from messages where session_id = ${sessionId})
      where session_id = ${sessionId}`;
  });
}

export const FILLED_PASSWORD = 'correct horse';
/** A hash of cost 4. A sign-up hashes with cost 12, which takes a core a quarter of a second. */
const FILLED_HASH = '$2b$04$z/TykLdxvybrL2tCsGlj6.q1UU2lJ12zL.Yj1rCy3sddIYYIbaY2y';

/** Adds a user, who can log in with `FILLED_PASSWORD`. */
export async function fillUser(databaseUrl: string, email: string, name: string): Promise<void> {
  await withDatabase(databaseUrl, async (sql) => {
    await sql`
      insert into users (id, email, name, password_hash)
      values (uuidv7(), ${email}, ${name}, ${FILLED_HASH})`;
  });
}

/** Adds a link with which a user sets a forgotten password, and returns its secret. */
export async function fillPasswordLink(databaseUrl: string, userId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const secretHash = createHash('sha256').update(secret).digest();
  await withDatabase(databaseUrl, async (sql) => {
    await sql`
      insert into password_links (user_id, secret_hash, expires_at)
      values (${userId}, ${secretHash}, now() + interval '1 hour')`;
  });
  return secret;
}

async function withDatabase(url: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
