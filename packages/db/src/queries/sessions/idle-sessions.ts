import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export const LIST_ACTIVE_SESSIONS = statement<[ids: readonly string[]], { id: string }>(
  'list_active_sessions',
  `
select id from sessions
where id = any ($1::uuid[])
  and status = 'ACTIVE'
  and deleted_at is null`,
);

export async function listActiveSessions(
  database: DatabaseAccess,
  ids: readonly string[],
): Promise<string[]> {
  return (await LIST_ACTIVE_SESSIONS.run(database, ids)).map(({ id }) => id);
}

export const MARK_ATTENDED = statement<[ids: readonly string[]]>(
  'mark_attended',
  `update sessions set attended_at = now() where id = any ($1::uuid[]) and status = 'ACTIVE'`,
);

/** Stores that a person is in the rooms of these sessions now. */
export async function markAttended(
  database: DatabaseAccess,
  ids: readonly string[],
): Promise<void> {
  await MARK_ATTENDED.run(database, ids);
}

const IDLE_SINCE = `now() - $1 * interval '1 ms'`;

export const LIST_IDLE_SESSIONS = statement<[idleMs: number], { id: string }>(
  'list_idle_sessions',
  `
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
limit 1000`,
);

/**
 * Returns up to 1,000 ACTIVE sessions in whose room no person was seen for `idleMs`, or since the session was made, and
 * where by the history no user joined, left or said something in that time.
 */
export async function listIdleSessions(
  database: DatabaseAccess,
  idleMs: number,
): Promise<string[]> {
  return (await LIST_IDLE_SESSIONS.run(database, idleMs)).map(({ id }) => id);
}
