import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import { SILENCE } from './recording-state.ts';

/** A span of time in which a session was recorded, or was not: then with the reason. Times are ISO 8601. */
export interface CoverageSpan {
  readonly sessionId: string;
  readonly what: 'coverage' | 'gap';
  readonly from: string;
  readonly to: string;
  /** Null for coverage. */
  readonly reason: string | null;
}

/** A span of time that is over, and in which nobody recorded a session. Times are ISO 8601. */
export interface Gap {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface RecordingIntervalQueries {
  /** Opens an interval at `fromAt` (ISO 8601) under an id that the caller made; again with the same id changes nothing. */
  insertInterval(interval: {
    sessionId: string;
    id: string;
    recorderId: string;
    fromAt: string;
  }): Promise<void>;
  /**
   * Says that somebody was in the session's room at `at` (ISO 8601) while nobody listened, by an interval of no length; not
   * when somebody listened earlier than `before`. The id is one that the caller made.
   */
  insertUnheard(unheard: {
    sessionId: string;
    id: string;
    recorderId: string;
    at: string;
    before: string;
  }): Promise<void>;
  /** Ends an interval at `toAt` (ISO 8601), or at its beginning if that is later; one that has ended stays as it is. */
  closeInterval(end: {
    sessionId: string;
    id: string;
    toAt: string;
    endReason: string;
  }): Promise<void>;
  /**
   * Takes the time from `from` to `to` (ISO 8601) out of what this recorder has heard of the session: what was heard then is
   * lost, for that reason. Again with the same times changes nothing.
   */
  cutIntervals(loss: {
    sessionId: string;
    recorderId: string;
    from: string;
    to: string;
    endReason: string;
  }): Promise<void>;
  /** Ends what dead recorders have left open where each had last stored all that it received; gives the sessions. */
  closeDeadIntervals(): Promise<string[]>;
  /**
   * Gives what of the sessions was recorded, in the order of time within each: from the first connection to the close (or
   * now) every moment is coverage or a gap. Recorders that overlap count once.
   */
  listCoverage(sessionIds: readonly string[]): Promise<CoverageSpan[]>;
  /** Gives the gaps of the sessions that are over for good: none that a recorder thought to be alive may have heard. */
  listGaps(sessionIds: readonly string[]): Promise<Gap[]>;
}

// The lock lets one follow the other: so `opened_at`, which is taken under it, is the order in which they become visible.
const INSERT = `
insert into recording_intervals (session_id, id, recorder_id, from_at)
select s.id, $2::uuid, $3::uuid, $4::timestamptz from (select id from sessions where id = $1 for no key update) s
on conflict do nothing`;

const INSERT_UNHEARD = `
insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
select s.id, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz, 'not_started' from sessions s
where s.id = $1 and not exists (select from recording_intervals i
  where i.session_id = s.id and i.from_at < $5::timestamptz and i.end_reason is distinct from 'not_started')
on conflict do nothing`;

const CLOSE = `
update recording_intervals set to_at = greatest(from_at, $3::timestamptz(3)), end_reason = $4
where session_id = $1 and id = $2 and to_at is null`;

// The row of an interval becomes what follows the cut: whoever is to end it knows it by its id.
const CUT = `
with hit as materialized (
  select i.id, i.opened_at, i.from_at, i.to_at, i.to_at is null or i.to_at > $4::timestamptz as goes_on from recording_intervals i
  where i.session_id = $1 and i.recorder_id = $2 and i.from_at < $4::timestamptz and coalesce(i.to_at, 'infinity') > $3::timestamptz
  for update
), before as (
  insert into recording_intervals (session_id, id, recorder_id, opened_at, from_at, to_at, end_reason)
  select $1::uuid, gen_random_uuid(), $2::uuid, h.opened_at, h.from_at, greatest(h.from_at, $3::timestamptz), $5
  from hit h where h.goes_on
)
update recording_intervals i set
  from_at = case when h.goes_on then $4::timestamptz else i.from_at end,
  to_at = case when h.goes_on then i.to_at else greatest(i.from_at, $3::timestamptz) end,
  end_reason = case when h.goes_on then i.end_reason else $5 end
from hit h where i.session_id = $1 and i.id = h.id`;

const CLOSE_DEAD = `
update recording_intervals i set to_at = greatest(i.from_at, least(r.flushed_at, r.standby_at)), end_reason = 'recorder_died'
from recorders r where r.id = i.recorder_id and i.to_at is null and r.heartbeat_at <= now() - interval '15 s'
returning i.session_id as "sessionId"`;

// Ranges that hold both ends: an interval of no length splits the gap around it, so that what was heard for less than the
// time between two heartbeats is not taken for unheard together with all around it.
function spans(openUntil: string): string {
  return `
with at as (select date_trunc('milliseconds', now()) as now), i as (
  select i.session_id, i.opened_at, i.from_at, coalesce(i.end_reason, 'recorder_died') as reason,
    greatest(i.from_at, coalesce(i.to_at, ${openUntil})) as to_at
  from recording_intervals i cross join at
  left join recorders r on r.id = i.recorder_id where i.session_id = any ($1::uuid[])
), span as (
  select s.id as session_id, s.closed_at,
    tstzrange(min(i.from_at), greatest(min(i.from_at), coalesce(s.closed_at, at.now))) as whole
  from sessions s join i on i.session_id = s.id cross join at group by s.id, at.now
), c as (
  -- What is heard of a session after its close is none of it.
  select i.session_id, range_agg(tstzrange(i.from_at, i.to_at, '[]') * span.whole) as covered
  from i join span using (session_id) group by 1
), gap as (
  select c.session_id, lower(g) as from_at, upper(g) as to_at, upper(g) < upper(whole) or closed_at is not null as is_over, coalesce(
    (select i.reason from i where i.session_id = c.session_id and i.to_at = lower(g) order by i.opened_at desc limit 1),
    'not_started') as reason
  from span join c using (session_id), unnest(tstzmultirange(span.whole) - c.covered) g
)`;
}

const COVERAGE = `${spans(`case when r.heartbeat_at > at.now - ${SILENCE} then at.now else coalesce(least(r.flushed_at, r.standby_at), i.from_at) end`)}
select c.session_id as "sessionId", 'coverage' as what, lower(x) as "fromAt", upper(x) as "toAt", null as reason
from c, unnest(c.covered) x where lower(x) < upper(x)
union all
select session_id, 'gap', from_at, to_at, reason from gap
order by 1, 3`;

const GAPS = `${spans(`'infinity'`)}
select session_id as "sessionId", from_at as "fromAt", to_at as "toAt", reason from gap where is_over order by 1, 2`;

/** Gives the statements on `recording_intervals`; they are prepared at their first use on each connection. */
export function prepareRecordingIntervalQueries({
  sql,
}: Pick<Database, 'sql'>): RecordingIntervalQueries {
  const prepare = true;
  return {
    async insertInterval({ sessionId, id, recorderId, fromAt }) {
      await sql.unsafe(INSERT, [sessionId, id, recorderId, fromAt], { prepare });
    },
    async insertUnheard({ sessionId, id, recorderId, at, before }) {
      await sql.unsafe(INSERT_UNHEARD, [sessionId, id, recorderId, at, before], { prepare });
    },
    async closeInterval({ sessionId, id, toAt, endReason }) {
      await sql.unsafe(CLOSE, [sessionId, id, toAt, endReason], { prepare });
    },
    async cutIntervals({ sessionId, recorderId, from, to, endReason }) {
      await sql.unsafe(CUT, [sessionId, recorderId, from, to, endReason], { prepare });
    },
    async closeDeadIntervals() {
      const rows = await sql.unsafe<{ sessionId: string }[]>(CLOSE_DEAD, [], { prepare });
      return rows.map(({ sessionId }) => sessionId);
    },
    async listCoverage(sessionIds) {
      return (await sql.unsafe<Stored<CoverageSpan>[]>(COVERAGE, [sessionIds], { prepare })).map(
        span,
      );
    },
    async listGaps(sessionIds) {
      return (await sql.unsafe<Stored<Gap>[]>(GAPS, [sessionIds], { prepare })).map(span);
    },
  };
}

/** A span as it comes: times in PostgreSQL's text. */
type Stored<Span> = Omit<Span, 'from' | 'to'> & { readonly fromAt: string; readonly toAt: string };

function span<Span>({ fromAt, toAt, ...rest }: Stored<Span>) {
  return { ...rest, from: isoFromText(fromAt), to: isoFromText(toAt) };
}
