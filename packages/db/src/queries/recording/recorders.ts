import { allRows, nothing, onlyRow } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { hasErasures } from '../erasures/erasure-acknowledgements.ts';
import { endAsDead, isAlive } from '../recorder-liveness.ts';
import { setLastMessage } from './slot-ranks.ts';

/**
 * - `recorderEpoch`: grows at each start: a process that finds a greater epoch stops.
 * - `slots`: those that the recorder held before, and holds again.
 * - `endedSessions`: where its former process left intervals open. They end at the time up to which that process had
 *   stored everything.
 * - `databaseNow`: ms since the epoch, when the database answered.
 */
export interface RecorderStart {
  readonly recorderEpoch: number;
  readonly slots: readonly {
    readonly sessionId: string;
    readonly slotNumber: number;
    readonly epoch: number;
  }[];
  readonly endedSessions: readonly string[];
  readonly databaseNow: number;
}

/**
 * - `flushedAt`: everything received before this time is stored, except from `unsure_from` of an interval on.
 * - `standbyAt`: when the oldest message was received that is kept in case a leader does not store it.
 * - `webhookAt`: when the media server's last webhook since the start arrived.
 */
export interface HeartbeatReport {
  readonly id: string;
  readonly epoch: number;
  readonly load: number;
  readonly isDraining: boolean;
  readonly flushedAt: string;
  readonly standbyAt: string | null;
  readonly webhookAt: string | null;
  readonly clockOffsetMs: number;
}

/**
 * - `isReplaced`: another process has started as this recorder: stop at once.
 * - `webhooksSeen`: whether a live recorder has received a webhook since its start.
 * - `hasErasures`: the recorder has to acknowledge an erasure.
 * - `databaseNow`: ms since the epoch, when the database answered.
 */
export interface HeartbeatAnswer {
  readonly isReplaced: boolean;
  readonly webhooksSeen: boolean;
  readonly otherRecorders: number;
  readonly hasErasures: boolean;
  readonly databaseNow: number;
}

interface StartedRow {
  readonly recorderEpoch: string;
  readonly sessionId: string | null;
  readonly slotNumber: number;
  readonly slotEpoch: string;
  readonly endedSessions: readonly string[] | null;
  readonly databaseNow: number;
}

const DATABASE_NOW = `(extract(epoch from clock_timestamp()) * 1000)::float8 as "databaseNow"`;

/**
 * Stores the start of a recorder, which keeps up to `roomLimit` (null: all) slots, those with the newest messages. Until its
 * first heartbeat its `flushed_at` is that of its former process, whose spool it has yet to store. So it still leads where
 * that process has left unstored messages.
 */
export const startRecorder = statement(
  'start_recorder',
  (start: { id: string; capacity: number; roomLimit?: number | null }) => [
    start.id,
    start.capacity,
    start.roomLimit ?? null,
  ],
  (rows: StartedRow[]): RecorderStart => {
    const { recorderEpoch, databaseNow } = onlyRow(rows);
    const endedSessions = rows.flatMap((row) => row.endedSessions ?? []);
    const slots = rows.flatMap(({ sessionId, slotNumber, slotEpoch }) =>
      sessionId === null ? [] : { sessionId, slotNumber, epoch: Number(slotEpoch) },
    );
    return { recorderEpoch: Number(recorderEpoch), slots, endedSessions, databaseNow };
  },
)`
with predecessor as (
  select flushed_at, standby_at from recorders where id = $1
), ended as (
  update recording_intervals open_interval set ${endAsDead('open_interval', 'predecessor')}
  from predecessor
  where open_interval.recorder_id = $1
    and open_interval.to_at is null
  returning open_interval.session_id
), started as (
  insert into recorders as former (id, capacity, room_limit) values ($1, $2, $3)
  on conflict (id) do update set
    epoch = former.epoch + 1,
    capacity = excluded.capacity,
    room_limit = excluded.room_limit,
    load = 0,
    draining = false,
    started_at = now(),
    heartbeat_at = now(),
    standby_at = null,
    webhook_at = null,
    clock_offset_ms = 0
  returning former.epoch
), kept as materialized (
  select slot.session_id, slot.slot from recording_assignments slot
  where slot.recorder_id = $1
  order by (
    select head.last_at from session_heads head where head.session_id = slot.session_id
  ) desc nulls last
  limit $3
), released as (
  update recording_assignments slot set
    recorder_id = null,
    status = 'waiting',
    connected_at = null,
    attempts = 0,
    failure = null,
    ${setLastMessage('slot')}
  where slot.recorder_id = $1
    and (slot.session_id, slot.slot) not in (select kept.session_id, kept.slot from kept)
), held as (
  update recording_assignments slot set
    status = 'connecting',
    epoch = slot.epoch + 1,
    connected_at = null,
    attempts = 0,
    failure = null
  where slot.recorder_id = $1
    and (slot.session_id, slot.slot) in (select kept.session_id, kept.slot from kept)
  returning slot.session_id, slot.slot, slot.epoch
)
select
  started.epoch as "recorderEpoch",
  held.session_id as "sessionId",
  held.slot as "slotNumber",
  held.epoch as "slotEpoch",
  -- Only once: both the slots and these sessions may be many.
  case when row_number() over () = 1 then array(select distinct ended.session_id from ended) end as "endedSessions",
  ${DATABASE_NOW}
from started
left join held on true`;

export const updateHeartbeat = statement(
  'update_heartbeat',
  ({ id, epoch, load, isDraining, flushedAt, standbyAt, ...seen }: HeartbeatReport) => {
    const { webhookAt, clockOffsetMs } = seen;
    const offsetMs = Math.round(clockOffsetMs);
    return [id, epoch, load, isDraining, flushedAt, standbyAt, webhookAt, offsetMs];
  },
  onlyRow<HeartbeatAnswer>,
)`
with beat as (
  update recorders set
    heartbeat_at = now(),
    load = $3,
    draining = $4,
    flushed_at = $5,
    standby_at = $6,
    webhook_at = $7,
    clock_offset_ms = $8
  where id = $1
    and epoch = $2
    -- A heartbeat that a crash of PostgreSQL loses is worth nothing, so it does not wait for the disk.
    and (select set_config('synchronous_commit', 'off', true)) is not null
  returning webhook_at
)
select
  not exists (select from beat) as "isReplaced",
  exists (select from beat where beat.webhook_at is not null)
    or exists (
      select from recorders other
      where other.id <> $1
        and other.webhook_at is not null
        and ${isAlive('other')}
    ) as "webhooksSeen",
  (
    select count(*) from recorders other where other.id <> $1 and ${isAlive('other')}
  )::int as "otherRecorders",
  ${hasErasures('$1')} as "hasErasures",
  ${DATABASE_NOW}`;

export const wakeRecorders = statement('wake_recorders', () => [], nothing)`
select pg_notify('session_changed', '')`;

/**
 * Returns those of the sessions that the recorder may leave. `since` (ISO 8601): another recorder has covered the session
 * from then on; null when the session is over, or no other recorder could take it. Without `mayDeclareDead`, a silent
 * recorder could still take a session.
 */
export const listHandedOver = statement(
  'list_handed_over',
  (recorderId: string, sessionIds: readonly string[], mayDeclareDead: boolean) => [
    recorderId,
    sessionIds,
    mayDeclareDead,
  ],
  allRows<{ sessionId: string; since: string | null }>,
)`
with others as materialized (
  select recorder.id, ${isAlive('recorder')} as is_alive from recorders recorder
  where recorder.id <> $1
    and not recorder.draining
)
select asked.id as "sessionId", covered.since
from unnest($2::uuid[]) asked (id)
left join lateral (
  select min(open_interval.from_at) as since
  from recording_intervals open_interval
  where open_interval.session_id = asked.id
    and open_interval.to_at is null
    and open_interval.recorder_id in (select id from others where is_alive)
) covered on true
where covered.since is not null
  or not exists (select from others where not $3 or is_alive)
  or not exists (
    select from sessions session where session.id = asked.id and session.status = 'ACTIVE'
  )`;
