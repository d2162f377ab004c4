import { isoFromText } from '../../iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement.ts';
import { storedUntil } from '../recorder-liveness.ts';

/** What a restore to an earlier time has left, and what was done about it. */
export interface RestoredHistory {
  /** ISO 8601: what was stored before is there. Null: no recorder had ever used the database. */
  readonly restoredTo: string | null;
  /** How many connections of recorders to rooms were open then. Each session that they recorded has a gap from there. */
  readonly endedIntervals: number;
  /** How many ACTIVE sessions there are. Everything that they store from now on is newer than all that was stored before. */
  readonly sessions: number;
}

export interface RestoredHistoryQueries {
  /** Returns the names of APIs and recorders that are connected to the database. */
  listConnectedPrograms(): Promise<string[]>;
  /**
   * Prepares a database that was restored to an earlier time for the programs that used it. Ends the intervals that were open
   * at that time where their recorders had stored everything: what was received after that is lost. Raises the heads of
   * ACTIVE sessions above every time that was ever given out, so that no reader with a later `since` misses a message. Call it
   * before any program is connected.
   */
  closeRestoredHistory(): Promise<RestoredHistory>;
}

export const LIST_CONNECTED_PROGRAMS = statement<[], { name: string }>(
  'list_connected_programs',
  `
select distinct application_name as name
from pg_stat_activity
where datname = current_database()
  and application_name ~ '^(api|recorder)-'
order by 1`,
);

export const CLOSE_RESTORED_HISTORY = statement<
  [],
  Omit<RestoredHistory, 'restoredTo'> & { restoredTo: string | null }
>(
  'close_restored_history',
  `
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
  returning 1
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
), raised as (
  -- No time was ever later than the clock and 1 s.
  update session_heads head set last_at = greatest(head.last_at, now() + interval '1 s')
  from sessions session
  where session.id = head.session_id
    and session.status = 'ACTIVE'
  returning 1
)
select
  restored.at as "restoredTo",
  (select count(*) from ended)::int as "endedIntervals",
  (select count(*) from raised)::int as sessions
from restored`,
);

/** Returns the queries that prepare a restored database. */
export function prepareRestoredHistoryQueries({ sql }: DatabaseAccess): RestoredHistoryQueries {
  return {
    async listConnectedPrograms() {
      const rows = await LIST_CONNECTED_PROGRAMS.run(sql);
      return rows.map(({ name }) => name);
    },
    async closeRestoredHistory() {
      const [row] = await CLOSE_RESTORED_HISTORY.run(sql);
      if (!row) throw new Error('the statement always returns a row');
      return { ...row, restoredTo: row.restoredTo === null ? null : isoFromText(row.restoredTo) };
    },
  };
}
