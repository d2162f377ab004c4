import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { endAsDead, isAlive, isDead } from '../recorder-liveness.ts';
import { type CoverageSpan, type Gap, LIST_COVERAGE, LIST_GAPS } from './coverage.ts';

export interface UnsureMark {
  readonly sessionId: string;
  readonly intervalId: string;
  /** ISO 8601. Null: everything is stored. */
  readonly unsureFrom: string | null;
}

type InsertParameters = [sessionId: string, id: string, recorderId: string, fromAt: string];

// The lock makes one insert wait for the other. So `opened_at`, which is taken under it, is the order in which they commit.
export const INSERT_INTERVAL = statement<InsertParameters>(
  'insert_interval',
  `
insert into recording_intervals (session_id, id, recorder_id, from_at)
select session.id, $2::uuid, $3::uuid, $4::timestamptz
from (select id from sessions where id = $1 for no key update) session
on conflict do nothing`,
);

/** Opens an interval at `fromAt` (ISO 8601); again with the same id changes nothing. */
export async function insertInterval(
  database: DatabaseAccess,
  interval: {
    sessionId: string;
    id: string;
    recorderId: string;
    fromAt: string;
  },
): Promise<void> {
  const { sessionId, id, recorderId, fromAt } = interval;
  await INSERT_INTERVAL.run(database, sessionId, id, recorderId, fromAt);
}

export const INSERT_GAP_START = statement<
  [sessionId: string, id: string, recorderId: string, at: string, before: string]
>(
  'insert_gap_start',
  `
insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
select session.id, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz, 'not_started'
from sessions session
where session.id = $1
  and not exists (
    select from recording_intervals earlier
    where earlier.session_id = session.id
      and earlier.from_at < case when earlier.end_reason = 'not_started' then $4 else $5 end::timestamptz
  )
on conflict do nothing`,
);

/**
 * Opens a gap at `at` (ISO 8601), when a participant was in the room and no recorder: an interval of no length. Does
 * nothing when an interval began earlier than `before`, or such a gap earlier than `at`.
 */
export async function insertGapStart(
  database: DatabaseAccess,
  start: {
    sessionId: string;
    id: string;
    recorderId: string;
    at: string;
    before: string;
  },
): Promise<void> {
  const { sessionId, id, recorderId, at, before } = start;
  await INSERT_GAP_START.run(database, sessionId, id, recorderId, at, before);
}

export const END_INTERVAL = statement<
  [sessionId: string, id: string, toAt: string, endReason: string]
>(
  'end_interval',
  `
update recording_intervals set
  to_at = greatest(from_at, $3::timestamptz(3)),
  end_reason = $4
where session_id = $1
  and id = $2
  and to_at is null`,
);

/** Ends an interval at `toAt` (ISO 8601), or at its beginning if that is later; an ended interval stays as it is. */
export async function endInterval(
  database: DatabaseAccess,
  end: {
    sessionId: string;
    id: string;
    toAt: string;
    endReason: string;
  },
): Promise<void> {
  const { sessionId, id, toAt, endReason } = end;
  await END_INTERVAL.run(database, sessionId, id, toAt, endReason);
}

// A heartbeat sends it, so it waits neither for the lock of a flush nor for the disk.
export const UPDATE_UNSURE = statement<
  [sessionIds: readonly string[], intervalIds: readonly string[], unsureFrom: readonly string[]],
  { id: string }
>(
  'update_unsure',
  `
with mark as materialized (
  select mark.session_id, mark.id, nullif(mark.unsure_from, '')::timestamptz as unsure_from
  from unnest($1::uuid[], $2::uuid[], $3::text[]) mark (session_id, id, unsure_from)
), open_interval as materialized (
  select open_interval.session_id, open_interval.id
  from recording_intervals open_interval
  where (open_interval.session_id, open_interval.id) in (select mark.session_id, mark.id from mark)
    and open_interval.to_at is null
    and (select set_config('synchronous_commit', 'off', true)) is not null
  for no key update skip locked
)
update recording_intervals marked set unsure_from = mark.unsure_from
from open_interval
join mark using (session_id, id)
where marked.session_id = open_interval.session_id
  and marked.id = open_interval.id
returning marked.id`,
);

/**
 * Stores for each interval since when its recorder has words in memory only or in a lane (`unsureFrom`, ISO 8601; null:
 * none). Returns the intervals for which that is stored now: neither ended nor locked ones.
 */
export async function updateUnsure(
  database: DatabaseAccess,
  marks: readonly UnsureMark[],
): Promise<string[]> {
  const rows = await UPDATE_UNSURE.run(
    database,
    marks.map(({ sessionId }) => sessionId),
    marks.map(({ intervalId }) => intervalId),
    marks.map(({ unsureFrom }) => unsureFrom ?? ''),
  );
  return rows.map(({ id }) => id);
}

// The row of a cut interval becomes the part after the cut, because its recorder will end it by its id.
export const CUT_INTERVALS = statement<
  [sessionId: string, recorderId: string | null, from: string, to: string, endReason: string]
>(
  'cut_intervals',
  `
with affected as materialized (
  select
    whole.id,
    whole.recorder_id,
    whole.opened_at,
    whole.from_at,
    whole.to_at,
    whole.to_at is null or whole.to_at > $4::timestamptz as continues_after
  from recording_intervals whole
  where whole.session_id = $1
    and ($2::uuid is null or whole.recorder_id = $2)
    and whole.from_at < $4::timestamptz
    and coalesce(whole.to_at, 'infinity') > $3::timestamptz
  for update
), part_before as (
  insert into recording_intervals (session_id, id, recorder_id, opened_at, from_at, to_at, end_reason)
  select
    $1::uuid,
    gen_random_uuid(),
    affected.recorder_id,
    affected.opened_at,
    affected.from_at,
    greatest(affected.from_at, $3::timestamptz),
    $5
  from affected
  where affected.continues_after
)
update recording_intervals part set
  from_at = case when affected.continues_after then $4::timestamptz else part.from_at end,
  to_at = case
    when affected.continues_after then part.to_at
    else greatest(part.from_at, $3::timestamptz)
  end,
  end_reason = case when affected.continues_after then part.end_reason else $5 end
from affected
where part.session_id = $1
  and part.id = affected.id`,
);

/**
 * Takes the time from `from` to `to` (ISO 8601) out of the recorder's intervals, or those of all recorders, because
 * what was received then is lost. Again changes nothing.
 */
export async function cutIntervals(
  database: DatabaseAccess,
  loss: {
    sessionId: string;
    recorderId: string | null;
    from: string;
    to: string;
    endReason: string;
  },
): Promise<void> {
  const { sessionId, recorderId, from, to, endReason } = loss;
  await CUT_INTERVALS.run(database, sessionId, recorderId, from, to, endReason);
}

export const END_DEAD_INTERVALS = statement<[], { sessionId: string }>(
  'end_dead_intervals',
  `
with dead as materialized (
  select locked.session_id, locked.id
  from recording_intervals locked
  join recorders recorder on recorder.id = locked.recorder_id
  where locked.to_at is null
    and ${isDead('recorder')}
  -- A row that another transaction holds must not hold up the others.
  for no key update of locked skip locked
)
update recording_intervals open_interval set ${endAsDead('open_interval', 'recorder')}
from recorders recorder, dead
where recorder.id = open_interval.recorder_id
  and open_interval.session_id = dead.session_id
  and open_interval.id = dead.id
returning open_interval.session_id as "sessionId"`,
);

/** Ends each open interval of a dead recorder where that had stored everything. Returns the sessions. Claims do it too. */
export async function endDeadIntervals(database: DatabaseAccess): Promise<string[]> {
  return (await END_DEAD_INTERVALS.run(database)).map(({ sessionId }) => sessionId);
}

export const IS_SESSION_RECORDED = statement<[sessionId: string], { isRecorded: boolean }>(
  'is_session_recorded',
  `
select exists (
  select from recording_intervals open_interval
  join recorders recorder on recorder.id = open_interval.recorder_id
  where open_interval.session_id = $1
    and open_interval.to_at is null
    and ${isAlive('recorder')}
) as "isRecorded"`,
);

/** Returns whether a live recorder is connected to the session's room. */
export async function isSessionRecorded(
  database: DatabaseAccess,
  sessionId: string,
): Promise<boolean> {
  const [row] = await IS_SESSION_RECORDED.run(database, sessionId);
  return row?.isRecorded ?? false;
}

/**
 * Returns which times of the sessions are covered, in order. From the first connection to the close (or now) every
 * moment is coverage or a gap.
 */
export async function listCoverage(
  database: DatabaseAccess,
  sessionIds: readonly string[],
): Promise<CoverageSpan[]> {
  return (await LIST_COVERAGE.run(database, sessionIds)).map(withIsoTimes);
}

/** Returns the gaps of the sessions that are over for good: no recorder that may be alive covers a part of them. */
export async function listGaps(
  database: DatabaseAccess,
  sessionIds: readonly string[],
): Promise<Gap[]> {
  return (await LIST_GAPS.run(database, sessionIds)).map(withIsoTimes);
}

function withIsoTimes<Span extends { readonly from: string; readonly to: string }>(
  span: Span,
): Span {
  return { ...span, from: isoFromText(span.from), to: isoFromText(span.to) };
}
