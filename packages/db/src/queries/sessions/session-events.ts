import { allRows, rowCount } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

export const EVENTS_AT_ONCE = 1000;

/** `seenAt` (ISO 8601): the position, comparable with those of messages. `data`: a JSON text. */
export interface SessionEventRow {
  readonly seenAt: string;
  readonly type: string;
  readonly data: string;
}

/** Returns the next time of a session's clock, above the floor of the last restore. The row `head` must be locked. */
export function nextTime(head: string): string {
  return `greatest(
    ${head}.last_at,
    (select max(floor_at) from restores),
    date_trunc('milliseconds', clock_timestamp()) - interval '1 ms'
  ) + interval '1 ms'`;
}

export function eventText(
  type: string,
  {
    session,
    at,
    project,
    data,
    from,
  }: { session: string; at: string; project: string; data: string; from: string },
): string {
  return `
  insert into session_events (session_id, seen_at, project_id, type, data)
  select ${session}, ${at}, ${project}, ${type}, ${data} from ${from}
  returning session_id, seen_at, project_id`;
}

/**
 * Returns the text of a query for the events of the session `$1` after `since`. The creation of the session is one of them,
 * at the first time of its head.
 */
export function eventsText(since: string, limit: string): string {
  return `
    (
      select event.seen_at, event.type, event.data
      from session_events event
      where event.session_id = $1 and event.seen_at > ${since}::timestamptz
      order by event.seen_at
      limit ${limit}
    )
    union all
    (
      select created.created_at, 'session.created', '{}'::jsonb
      from sessions created
      where created.id = $1 and created.created_at > ${since}::timestamptz
    )`;
}

/** Returns the first 1,000 events of a session after `since` and until `until` (ISO 8601), the oldest first. */
export const listSessionEvents = statement(
  'list_session_events',
  ({ sessionId, since, until }: { sessionId: string; since: string; until: string }) => [
    sessionId,
    since,
    until,
  ],
  allRows<SessionEventRow>,
)`
select event.seen_at as "seenAt", event.type, event.data
from (${eventsText('$2', String(EVENTS_AT_ONCE))}) event
where event.seen_at <= $3::timestamptz
order by event.seen_at`;

/**
 * Deletes up to `limit` events that are 30 days old, by `ctid` as `deleteOldDeliveries` does, and returns their number. A
 * follower that has not read them by then gets no more events of a deleted session.
 */
export const deleteOldEvents = statement('delete_old_events', (limit: number) => [limit], rowCount)`
with deleted as (
  delete from session_events where ctid = any (array(
    select ctid from session_events
    where seen_at < now() - interval '30 days'
    order by seen_at
    limit $1
  ))
  returning session_id, project_id, type
), forgotten as (
  delete from follower_positions followed using deleted, followers follower
  where deleted.type = 'session.deleted'
    and (follower.project_id = deleted.project_id or follower.project_id is null)
    and followed.follower_id = follower.id
    and followed.session_id = deleted.session_id
)
select from deleted`;
