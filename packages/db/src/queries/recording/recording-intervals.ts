import { hasRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { endAsDead, isAlive, isDead, storedUntil } from '../recorder-liveness.ts';

export interface UnsureMark {
  readonly sessionId: string;
  readonly intervalId: string;
  readonly unsureFrom: string | null;
}

/**
 * Opens an interval at `fromAt` (ISO 8601); repeating this with the same id changes nothing. The lock makes inserts wait for
 * each other. So `opened_at`, which is taken under the lock, is the order in which they commit.
 */
export const insertInterval = statement(
  'insert_interval',
  (interval: { sessionId: string; id: string; recorderId: string; fromAt: string }) => [
    interval.sessionId,
    interval.id,
    interval.recorderId,
    interval.fromAt,
  ],
  nothing,
)`
insert into recording_intervals (session_id, id, recorder_id, from_at)
select session.id, $2::uuid, $3::uuid, $4::timestamptz
from (select id from sessions where id = $1 for no key update) session
on conflict do nothing`;

/**
 * Opens a gap at `at` (ISO 8601), when a participant but no recorder was in the room: an interval of no length. Does nothing
 * when an interval began before `before` or at `at`, or when a gap was opened in this way at `at` or earlier.
 */
export const insertGapStart = statement(
  'insert_gap_start',
  (start: { sessionId: string; id: string; recorderId: string; at: string; before: string }) => [
    start.sessionId,
    start.id,
    start.recorderId,
    start.at,
    start.before,
  ],
  nothing,
)`
insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
select session.id, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz, 'not_started'
from sessions session
where session.id = $1
  and not exists (
    select from recording_intervals earlier
    where earlier.session_id = session.id
      and (
        earlier.from_at < case when earlier.end_reason = 'not_started' then $4 else $5 end::timestamptz
        or earlier.from_at = $4::timestamptz
      )
  )
on conflict do nothing`;

/** Ends an interval at `toAt` (ISO 8601), or at its beginning if that is later; an ended interval stays as it is. */
export const endInterval = statement(
  'end_interval',
  (end: { sessionId: string; id: string; toAt: string; endReason: string }) => [
    end.sessionId,
    end.id,
    end.toAt,
    end.endReason,
  ],
  nothing,
)`
update recording_intervals set
  to_at = greatest(from_at, $3::timestamptz(3)),
  end_reason = $4
where session_id = $1
  and id = $2
  and to_at is null`;

/**
 * A recorder without the database repeats its note of the kept intervals twice a second. A recorder whose last heartbeat came
 * this long after its note had the database again.
 */
const NOTE_STALE_AFTER = `interval '15 s'`;

/**
 * Ends an interval at `keptUntil` (ISO 8601). Its recorder's former process noted at `notedAt` that everything received in the
 * interval before `keptUntil` was stored, or on its disk. If the note is stale, an interval that is still open ends where that
 * of a dead recorder does, if that is later. If other recorders have ended the interval as `recorder_died`, only its end moves,
 * and never to an earlier time. The reason stays, because by it the other recorders store the messages without a raw id.
 */
export const endKeptInterval = statement(
  'end_kept_interval',
  (kept: {
    sessionId: string;
    id: string;
    keptUntil: string;
    endReason: string;
    notedAt?: string | undefined;
  }) => [kept.sessionId, kept.id, kept.keptUntil, kept.endReason, kept.notedAt ?? null],
  nothing,
)`
update recording_intervals kept set
  to_at = greatest(
    kept.from_at,
    kept.to_at,
    -- A new note has ends and cuts that were not written yet, of which the recorder's last heartbeat knew nothing.
    case when kept.to_at is null and $4 = 'recorder_died' then (
      select ${storedUntil('recorder', 'kept')}
      from recorders recorder
      where recorder.id = kept.recorder_id
        and recorder.heartbeat_at > $5::timestamptz + ${NOTE_STALE_AFTER}
    ) end,
    least(
      $3::timestamptz(3),
      -- Where another recorder's interval has ended meanwhile, those of all recorders may have been cut.
      (
        select min(other.to_at) from recording_intervals other
        where other.session_id = kept.session_id
          and other.recorder_id <> kept.recorder_id
          and other.to_at >= kept.to_at
          and other.end_reason not in ('not_started', 'recorder_died')
      )
    )
  ),
  end_reason = coalesce(kept.end_reason, $4)
where kept.session_id = $1
  and kept.id = $2
  and (
    kept.to_at is null
    or (
      kept.end_reason = 'recorder_died'
      -- With a later interval the former process had the database again, and may have reported losses.
      and not exists (
        select from recording_intervals later
        where later.session_id = kept.session_id
          and later.recorder_id = kept.recorder_id
          and later.opened_at > kept.opened_at
          and later.end_reason is distinct from 'not_started'
      )
    )
  )`;

/**
 * Stores for each interval since when its recorder has had words only in memory or in a lane (`unsureFrom`, ISO 8601; null:
 * none). Returns the ids of the updated intervals; ended and locked intervals are skipped. A heartbeat waits for this
 * statement, so the statement waits neither for the lock of a flush nor for the disk.
 */
export const updateUnsure = statement(
  'update_unsure',
  (marks: readonly UnsureMark[]) => [
    marks.map(({ sessionId }) => sessionId),
    marks.map(({ intervalId }) => intervalId),
    marks.map(({ unsureFrom }) => unsureFrom ?? ''),
  ],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
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
returning marked.id`;

/**
 * Takes the time from `from` to `to` (ISO 8601) out of the recorder's intervals, or those of all recorders, because what was
 * received then is lost. A repetition changes nothing. The row of a cut interval becomes the part after the cut, because its
 * recorder will end it by its id. The interval of a dead recorder keeps its reason, by which `appendMessages` skips the words
 * without a raw id that another recorder has stored meanwhile.
 */
export const cutIntervals = statement(
  'cut_intervals',
  (loss: {
    sessionId: string;
    recorderId: string | null;
    from: string;
    to: string;
    endReason: string;
  }) => [loss.sessionId, loss.recorderId, loss.from, loss.to, loss.endReason],
  nothing,
)`
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
  end_reason = case
    when affected.continues_after or part.end_reason = 'recorder_died' then part.end_reason
    else $5
  end
from affected
where part.session_id = $1
  and part.id = affected.id`;

export const endDeadIntervals = statement(
  'end_dead_intervals',
  () => [],
  (rows: { sessionId: string }[]) => rows.map(({ sessionId }) => sessionId),
)`
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
returning open_interval.session_id as "sessionId"`;

export const isIntervalOfDead = statement(
  'is_interval_of_dead',
  (interval: { sessionId: string; id: string }) => [interval.sessionId, interval.id],
  hasRows,
)`
select 1 from recording_intervals
where session_id = $1
  and id = $2
  and end_reason = 'recorder_died'`;

export const isIntervalEnded = statement(
  'is_interval_ended',
  (interval: { sessionId: string; id: string; at: string }) => [
    interval.sessionId,
    interval.id,
    interval.at,
  ],
  hasRows,
)`
select 1 from recording_intervals
where session_id = $1
  and id = $2
  and to_at <= $3::timestamptz`;

export const isSessionRecorded = statement(
  'is_session_recorded',
  (sessionId: string) => [sessionId],
  ([row]: { isRecorded: boolean }[]) => row?.isRecorded ?? false,
)`
select exists (
  select from recording_intervals open_interval
  join recorders recorder on recorder.id = open_interval.recorder_id
  where open_interval.session_id = $1
    and open_interval.to_at is null
    and ${isAlive('recorder')}
) as "isRecorded"`;
