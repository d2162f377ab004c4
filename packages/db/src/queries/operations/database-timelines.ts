import { firstRow } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

export const noteTimelineText = `
insert into database_timelines (system_identifier, timeline)
select
  control.system_identifier,
  -- A checkpoint comes later than a promotion, and names the former timeline until then.
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
from pg_control_system() control
on conflict do nothing`;

export interface DatabaseTimeline {
  readonly systemIdentifier: string;
  readonly timeline: number;
}

/**
 * Notes which server holds the database. Returns that server once, when it has replaced another one without a call of
 * `closeRestoredHistory`; later calls return undefined.
 */
export const noteTimeline = statement('note_timeline', () => [], firstRow<DatabaseTimeline>)`
with noted as (
  ${noteTimelineText}
  returning system_identifier, timeline
)
select noted.system_identifier::text as "systemIdentifier", noted.timeline
from noted
-- The first server of all replaces none. What is being inserted does not show here.
where exists (select from database_timelines)`;

/** Counts how often in the last day another server took over the database, without `closeRestoredHistory` since. */
export const countReplacements = statement(
  'count_replacements',
  () => [],
  ([row]: { count: number }[]) => row?.count ?? 0,
)`
select count(*)::int as count
from database_timelines present
where present.noted_at > now() - interval '1 day'
  and exists (select from database_timelines former where former.noted_at < present.noted_at)
  and not exists (select from restores restore where restore.floor_at > present.noted_at)`;
