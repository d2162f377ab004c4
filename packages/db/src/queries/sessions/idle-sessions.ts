import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

export const listActiveSessions = statement(
  'list_active_sessions',
  (ids: readonly string[]) => [ids],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
select id from sessions
where id = any ($1::uuid[])
  and status = 'ACTIVE'
  and deleted_at is null`;

export const markAttended = statement('mark_attended', (ids: readonly string[]) => [ids], nothing)`
update sessions set attended_at = now() where id = any ($1::uuid[]) and status = 'ACTIVE'`;

const IDLE_SINCE = `now() - $1 * interval '1 ms'`;

/**
 * Returns up to 1,000 ACTIVE sessions that are older than `idleMs`. In the last `idleMs`, no person was seen in the room, and
 * by the history no user joined, left or said something.
 */
export const listIdleSessions = statement(
  'list_idle_sessions',
  (idleMs: number) => [idleMs],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
select session.id from sessions session
where session.status = 'ACTIVE'
  and session.deleted_at is null
  and coalesce(session.attended_at, session.created_at) <= ${IDLE_SINCE}
  and not exists (
    select from messages message
    where message.session_id = session.id
      and message."timestamp" > ${IDLE_SINCE}
      -- Joins and leaves are system messages about a participant whose identity begins with user-.
      and (message.role = 'user' or message.metadata #>> '{participant,identity}' like 'user-%')
  )
order by session.id
limit 1000`;
