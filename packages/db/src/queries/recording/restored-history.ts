import { onlyRow } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { tellRestoreText } from '../followers/webhook-notices.ts';
import { noteTimelineText } from '../operations/database-timelines.ts';
import { isReportingAt, storedUntil } from '../recorder-liveness.ts';

/**
 * - `restoredTo`: the time to which the database was restored (ISO 8601). Null: no recorder had used the database.
 * - `endedIntervals`: how many were open in the restored database. Their sessions have a gap from the ends of these
 *   intervals on.
 * - `closedSessions`: CLOSED sessions that lost their last moments in any restore, and whose gaps no recorder looks
 *   for.
 */
export interface RestoredHistory {
  readonly restoredTo: string | null;
  readonly endedIntervals: number;
  readonly sessions: number;
  readonly closedSessions: readonly string[];
}

export const listConnectedPrograms = statement(
  'list_connected_programs',
  () => [],
  (rows: { name: string }[]) => rows.map(({ name }) => name),
)`
select distinct application_name as name
from pg_stat_activity
where datname = current_database()
  and application_name ~ '^(api|recorder)-'
order by 1`;

/**
 * Prepares a restored database for the programs that used it. Call it before any of them is connected. Ends each open
 * interval at the time up to which its recorder had stored everything. Messages that are stored from now on get later
 * times than all that were ever returned, so that no reader misses one. Webhooks get a notice, and the server does not
 * count as a replacement.
 */
export const closeRestoredHistory = statement(
  'close_restored_history',
  () => [],
  onlyRow<Omit<RestoredHistory, 'restoredTo'> & { restoredTo: string | null }>,
)`
with restored as materialized (
  -- Recorders send a heartbeat twice a second. So this time is at most that much earlier than the time of the restore.
  select max(recorder.heartbeat_at) as at from recorders recorder
), ended as (
  update recording_intervals open_interval set
    to_at = greatest(
      open_interval.from_at,
      (
        select ${storedUntil('recorder', 'open_interval')}
        from recorders recorder
        where recorder.id = open_interval.recorder_id
      )
    ),
    end_reason = 'restored'
  where open_interval.to_at is null
  returning open_interval.session_id
), cut as (
  -- A recorder that left a room at that moment, because the session was closed for example, had not stored its last messages.
  update recording_intervals left_interval set
    to_at = greatest(left_interval.from_at, least(recorder.flushed_at, recorder.standby_at)),
    end_reason = 'restored'
  from recorders recorder
  cross join restored
  where recorder.id = left_interval.recorder_id
    and ${isReportingAt('recorder', 'restored.at')}
    and left_interval.to_at > least(recorder.flushed_at, recorder.standby_at)
  returning left_interval.session_id
), begun as (
  -- A session that no recorder had reached may have been recorded since. An interval of no length begins its gap.
  insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
  select
    session.id,
    gen_random_uuid(),
    '00000000-0000-0000-0000-000000000000',
    restored.at,
    restored.at,
    'restored'
  from sessions session
  cross join restored
  where session.status = 'ACTIVE'
    and restored.at is not null
    and not exists (
      select from recording_intervals earlier where earlier.session_id = session.id
    )
), noted as (
  -- No time was ever later than the clock and 1 s.
  insert into restores (floor_at, restored_to)
  select now() + interval '1 s', restored.at from restored
  returning floor_at, restored_to
), server as (
  ${noteTimelineText}
), ${tellRestoreText('noted')}
select
  restored.at as "restoredTo",
  (select count(*) from ended)::int as "endedIntervals",
  (select count(*) from sessions where status = 'ACTIVE')::int as sessions,
  array(
    select session.id
    from sessions session
    where session.status = 'CLOSED'
      and session.id in (
        select ended.session_id from ended
        union all
        select cut.session_id from cut
        union all
        select earlier.session_id from recording_intervals earlier where earlier.end_reason = 'restored'
      )
  ) as "closedSessions"
from restored`;
