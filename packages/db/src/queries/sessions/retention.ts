import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { SEARCH_FOLLOWER_ID, SEQUENCE_FOLLOWER_ID } from '../followers/follower-claims.ts';

const UNTIL = `now() - project.retention_days * interval '1 day'`;

export const listProjectsWithRetention = statement(
  'list_projects_with_retention',
  (after: string, limit: number) => [after, limit],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
select project.id
from projects project
where project.retention_days is not null
  and project.id > $1
order by project.id
limit $2`;

export interface OldSession {
  readonly id: string;
  readonly createdAt: string;
  readonly expired: 'session' | 'messages' | null;
}

/**
 * Returns up to `limit` sessions that were created before the time for which their project keeps histories, the oldest first,
 * after `place` (a session). A CLOSED session expires by the time of its close, not by its clock, which an erasure of a message
 * moves.
 */
export const listOldSessions = statement(
  'list_old_sessions',
  (
    projectId: string,
    place: { readonly id: string; readonly createdAt: string },
    limit: number,
  ) => [projectId, place.createdAt, place.id, limit],
  allRows<OldSession>,
)`
select
  session.id,
  session.created_at as "createdAt",
  case
    when session.deleted_at is not null then null
    when session.status = 'CLOSED' then case when session.closed_at <= ${UNTIL} then 'session' end
    when (
      select message."timestamp" from messages message
      where message.session_id = session.id
      order by message."timestamp"
      limit 1
    ) <= ${UNTIL} then 'messages'
  end as expired
from projects project
cross join lateral (
  select old.*
  from sessions old
  where old.project_id = project.id
    and (old.created_at, old.id) > ($2::timestamptz, $3::uuid)
    and old.created_at <= ${UNTIL}
  order by old.created_at, old.id
  limit $4
) session
where project.id = $1
order by session.created_at, session.id`;

/**
 * Deletes up to `limit` messages of an ACTIVE session that its project no longer keeps, the oldest first, and notes in the
 * session how far. Returns their number. Messages are deleted in the order of positions, so that everything up to
 * `history_from` is gone and nothing after it. The lock of the head orders the deletion among the writers. A message that a
 * writer changed meanwhile has a new position, and stays.
 */
export const deleteExpiredMessages = statement(
  'delete_expired_messages',
  (sessionId: string, limit: number) => [sessionId, limit],
  ([row]: { readonly count: number }[]) => row?.count ?? 0,
)`
with head as materialized (
  select
    locked.session_id,
    -- The search index and the search for missing messages have handled what goes. A session that they have not begun holds up nothing.
    least(${UNTIL}, (
      select min(followed.position) from follower_positions followed
      where followed.follower_id in ('${SEARCH_FOLLOWER_ID}', '${SEQUENCE_FOLLOWER_ID}')
        and followed.session_id = locked.session_id
    )) as until,
    coalesce(session.history_from, '-infinity') as history_from
  from session_heads locked
  join sessions session on session.id = locked.session_id
  join projects project on project.id = session.project_id
  where locked.session_id = $1
    and session.status = 'ACTIVE'
    and project.retention_days is not null
  for no key update of locked
), expired as materialized (
  select version.id, version.completed_at, version.seen_at
  from head
  cross join lateral (
    select * from (
      (
        select stored.id, stored.completed_at, stored."timestamp" as seen_at
        from messages stored
        where stored.session_id = $1
          -- Before it are only messages that were completed since: no batch reads them again.
          and stored."timestamp" > head.history_from
          and stored."timestamp" <= head.until
          and stored.completed_at is null
        order by stored."timestamp"
        limit $2
      )
      union all
      (
        select completed.id, completed.completed_at, completed.completed_at
        from messages completed
        where completed.session_id = $1
          and completed.completed_at <= head.until
        order by completed.completed_at
        limit $2
      )
    ) visible
    order by visible.seen_at
    limit $2
  ) version
), deleted as (
  delete from messages message using expired
  where message.session_id = $1
    and message.id = expired.id
    and message.completed_at is not distinct from expired.completed_at
  returning message.id, expired.seen_at
), unindexed as (
  delete from message_search indexed using deleted
  where indexed.session_id = $1 and indexed.message_id = deleted.id
), counted as materialized (
  select count(*)::int as count, max(deleted.seen_at) as until from deleted
), moved as (
  update session_heads head set message_count = head.message_count - counted.count
  from counted
  where head.session_id = $1 and counted.count > 0
), noted as (
  update sessions session set history_from = greatest(session.history_from, counted.until)
  from counted
  where session.id = $1 and counted.count > 0
)
select count from counted`;
