import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { isReportingAt, storedUntil } from '../recorder-liveness.ts';

export interface CoverageSpan {
  readonly sessionId: string;
  readonly what: 'coverage' | 'gap';
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
}

export interface Gap {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/**
 * Returns the parts of a statement. `interval_end`: the intervals of the sessions `$1`; `covered`: their union; `gap`:
 * the rest. `openUntil`: when an open interval counts as ended.
 */
function spansText(openUntil: string): string {
  return `
with moment as (
  select date_trunc('milliseconds', now()) as now
), interval_end as (
  select
    stored.session_id,
    stored.opened_at,
    stored.from_at,
    -- An open interval of a late recorder counts as ended by its death.
    coalesce(stored.end_reason, 'recorder_died') as reason,
    greatest(stored.from_at, coalesce(stored.to_at, ${openUntil})) as to_at
  from recording_intervals stored
  cross join moment
  left join recorders recorder on recorder.id = stored.recorder_id
  where stored.session_id = any ($1::uuid[])
), span as (
  select
    session.id as session_id,
    session.closed_at,
    session.history_from,
    max(interval_end.from_at) as last_from,
    -- A recorder's clock may be ahead of the database's, so an interval may begin later than now.
    tstzrange(
      min(interval_end.from_at),
      greatest(
        min(interval_end.from_at),
        coalesce(session.closed_at, greatest(moment.now, max(interval_end.from_at)))
      )
    ) as whole
  from sessions session
  join interval_end on interval_end.session_id = session.id
  cross join moment
  group by session.id, moment.now
), covered as (
  select
    interval_end.session_id,
    -- Both ends belong to a range. So an interval of no length splits the gap around it: a connection that was shorter
    -- than the time between two heartbeats keeps the gaps before and after it apart.
    -- What a recorder receives after the session's close does not belong to the session.
    range_agg(tstzrange(interval_end.from_at, interval_end.to_at, '[]') * span.whole) as ranges
  from interval_end
  join span using (session_id)
  group by interval_end.session_id
), gap as (
  select
    covered.session_id,
    lower(range) as from_at,
    upper(range) as to_at,
    upper(range) <= span.last_from or span.closed_at is not null as is_over,
    -- The reason is that of the interval that ended where the gap begins.
    coalesce(
      (
        select interval_end.reason from interval_end
        where interval_end.session_id = covered.session_id
          and interval_end.to_at = lower(range)
        order by interval_end.opened_at desc
        limit 1
      ),
      'not_started'
    ) as reason
  from span
  join covered using (session_id),
  unnest(tstzmultirange(span.whole) - covered.ranges) range
)`;
}

const OPEN_UNTIL_STORED = `
      case
        when ${isReportingAt('recorder', 'moment.now')} then moment.now
        else coalesce(${storedUntil('recorder', 'stored')}, stored.from_at)
      end`;

/**
 * Returns which times of the sessions are covered, in order. From the first connection to the close (or now) every
 * moment is coverage or a gap.
 */
export const listCoverage = statement(
  'list_coverage',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<CoverageSpan>,
)`
${spansText(OPEN_UNTIL_STORED)}
select
  covered.session_id as "sessionId",
  'coverage' as what,
  lower(range) as "from",
  upper(range) as "to",
  null as reason
from covered, unnest(covered.ranges) range
where lower(range) < upper(range)
union all
select session_id, 'gap', from_at, to_at, reason from gap
order by 1, 3`;

/**
 * Returns the gaps of the sessions that are over for good: no recorder that may be alive covers a part of them. The
 * time from the beginning of an open interval on is no gap, because it may prove to be covered. Leaves out the gaps
 * that ended before `history_from`, whose messages are deleted.
 */
export const listGaps = statement(
  'list_gaps',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<Gap>,
)`
${spansText(`'infinity'`)}
select session_id as "sessionId", from_at as "from", to_at as "to", reason
from gap
join span using (session_id)
where is_over
  and to_at > coalesce(span.history_from, '-infinity')
order by 1, 2`;
