import type { recordingAssignments } from '../../schema/recording-assignments.ts';
import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { isAlive, isDead } from '../recorder-liveness.ts';
import type { SessionStatus } from '../sessions/sessions.ts';
import { CLAIM_SLOTS } from './claim-slots.ts';
import { HAS_CLAIMABLE_SLOT, isFree } from './claimable-slots.ts';
import { RANK_SLOTS, setLastMessage } from './slot-ranks.ts';

/**
 * A slot as its recorder holds it. Statements with this key change nothing, and return false, once the recorder no longer
 * holds the slot (recorder-liveness.ts).
 */
export interface SlotKey {
  readonly sessionId: string;
  readonly slotNumber: number;
  readonly recorderId: string;
  readonly epoch: number;
}

export interface SlotRow {
  readonly sessionId: string;
  readonly slotNumber: number;
  readonly epoch: number;
  readonly sessionStatus: SessionStatus;
}

/**
 * - `intervalId`: the open interval; null after others took the recorder for dead.
 * - `leaderFlushedAt`: ISO 8601. Everything that the session's leader received before this time is stored. Null: this
 *   recorder is the leader. Ignore it when `intervalId` is null.
 * - `leaderStandbyAt`: ISO 8601. Since when the leader itself keeps a message as a standby, or its open interval is unsure.
 */
export interface ListedSlotRow extends SlotRow {
  readonly intervalId: string | null;
  readonly leaderFlushedAt: string | null;
  readonly leaderStandbyAt: string | null;
}

export type SlotStatus = (typeof recordingAssignments.$inferSelect)['status'];

/**
 * Creates missing slots so that each ACTIVE session has `redundancy` of them, if its slot 0 is free or held by this
 * recorder. Deletes surplus slots that no live recorder holds.
 */
export const provideSlots = statement(
  'provide_slots',
  (redundancy: number, recorderId: string) => [redundancy, recorderId],
  nothing,
)`
with surplus as (
  delete from recording_assignments slot
  where slot.slot >= $1
    and (
      (${isFree('slot')})
      or slot.recorder_id = any (array(
        select recorder.id from recorders recorder where ${isDead('recorder')}
      ))
    )
)
insert into recording_assignments (session_id, slot)
select main_slot.session_id, missing
from recording_assignments main_slot
cross join generate_series(1, $1::smallint - 1) missing
where $1 > 1
  and main_slot.slot = 0
  -- Only what the index on recorders finds: recorders ask again every two seconds.
  and (main_slot.recorder_id is null or main_slot.recorder_id = $2)
  -- Scalar queries, which read an index for each slot, never a whole table.
  and (
    select session.status from sessions session where session.id = main_slot.session_id
  ) = 'ACTIVE'
  and (
    select existing.slot from recording_assignments existing
    where existing.session_id = main_slot.session_id and existing.slot = missing
  ) is null
-- In the order of their keys: two processes that create the same slots at once must not wait for each other.
order by 1, 2
on conflict do nothing`;

type Stored<Slot extends SlotRow> = Omit<Slot, 'epoch'> & { readonly epoch: string };

/**
 * Returns the recorder's slots, those with the newest message first. A missing slot was claimed by another recorder, or its
 * session is deleted. Returns none to an older epoch: they belong to a newer process with the same id. Without
 * `mayDeclareDead`, a silent recorder that has left a room still leads there.
 */
export const listSlots = statement(
  'list_slots',
  (recorderId: string, recorderEpoch: number, mayDeclareDead: boolean) => [
    recorderId,
    recorderEpoch,
    mayDeclareDead,
  ],
  (slots: Stored<ListedSlotRow>[]) => slots.map((slot) => ({ ...slot, epoch: Number(slot.epoch) })),
)`
select
  slot.session_id as "sessionId",
  slot.slot as "slotNumber",
  slot.epoch,
  session.status as "sessionStatus",
  own_interval.id as "intervalId",
  leader.flushed_at as "leaderFlushedAt",
  leader.standby_at as "leaderStandbyAt"
from recording_assignments slot
join sessions session on session.id = slot.session_id
join recorders own on own.id = slot.recorder_id and own.epoch = $2
left join lateral (
  select open_interval.id, open_interval.opened_at
  from recording_intervals open_interval
  where open_interval.session_id = slot.session_id
    and open_interval.recorder_id = $1
    and open_interval.to_at is null
  order by open_interval.opened_at
  limit 1
) own_interval on true
-- The leader is the recorder whose interval was stored first, of the intervals that are open.
left join lateral (
  select
    recorder.flushed_at,
    -- The last mark of an interval that has ended says nothing any more.
    least(recorder.standby_at, case when earlier.to_at is null then earlier.unsure_from end) as standby_at
  from recording_intervals earlier
  join recorders recorder on recorder.id = earlier.recorder_id
  where earlier.session_id = slot.session_id
    and earlier.recorder_id <> $1
    and (earlier.opened_at, earlier.id) < (own_interval.opened_at, own_interval.id)
    and (
      earlier.to_at is null
      -- A live recorder that has left the room leads until all that it received there is stored.
      or (recorder.flushed_at < earlier.to_at and (not $3 or ${isAlive('recorder')}))
    )
  order by earlier.opened_at, earlier.id
  limit 1
) leader on true
where slot.recorder_id = $1
order by (
  select head.last_at from session_heads head where head.session_id = slot.session_id
) desc nulls last`;

/**
 * The condition that the recorder holds the slot. It is evaluated first, and makes the statement wait only briefly for a
 * lock.
 */
const IS_HELD = `
  session_id = $1 and slot = $2 and recorder_id = $3 and epoch = $4
  and (select set_config('lock_timeout', '200', true)) is not null`;

interface SlotState {
  readonly status: Exclude<SlotStatus, 'lost'>;
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

function keyOf({ sessionId, slotNumber, recorderId, epoch }: SlotKey) {
  return [sessionId, slotNumber, recorderId, epoch] as const;
}

export const updateSlot = statement(
  'update_slot',
  (key: SlotKey, { status, connectedAt, attempts, failure }: SlotState) => [
    ...keyOf(key),
    status,
    connectedAt,
    attempts,
    failure,
  ],
  hasRows,
)`
update recording_assignments set
  status = $5,
  connected_at = $6,
  attempts = $7,
  failure = $8
where ${IS_HELD}
returning 1`;

const LAST_MESSAGE = setLastMessage('recording_assignments');

const RETRY_AFTER = `interval '15 s'`;

/** Marks a slot as lost: any recorder can claim it 15 s later. */
export const giveUpSlot = statement(
  'give_up_slot',
  (key: SlotKey, attempts: number, failure: string) => [...keyOf(key), attempts, failure],
  hasRows,
)`
update recording_assignments set
  status = 'lost',
  recorder_id = null,
  connected_at = null,
  attempts = $5,
  failure = $6,
  ${LAST_MESSAGE},
  next_attempt_at = now() + ${RETRY_AFTER}
where ${IS_HELD}
returning 1`;

export const releaseSlot = statement('release_slot', (key: SlotKey) => keyOf(key), hasRows)`
update recording_assignments set
  status = 'waiting',
  recorder_id = null,
  connected_at = null,
  attempts = 0,
  failure = null,
  ${LAST_MESSAGE}
where ${IS_HELD}
returning 1`;

export const deleteSlot = statement('delete_slot', (key: SlotKey) => keyOf(key), hasRows)`
delete from recording_assignments where ${IS_HELD} returning 1`;

/**
 * Claims up to `limit` slots that are free, or whose recorder is dead (with `fromDead`) or draining, at most one in a
 * session; many more while no other recorder is alive. Ends the intervals that a dead recorder left open. Capacity is soft
 * where no other live recorder has room; the limit of rooms is hard. Sessions that nobody records come first, then those with
 * the newest message; of more than a hundred slots, the busiest and a random part are compared (claim-window.ts). When
 * recorders cannot claim all, the account with the fewest recorded sessions comes next. Call it as long as it returns slots,
 * and never twice at once in a process.
 */
export async function claimSlots(
  database: DatabaseAccess,
  claim: {
    recorderId: string;
    limit: number;
    capacity: number;
    fromDead?: boolean;
  },
): Promise<SlotRow[]> {
  const { recorderId, limit, capacity, fromDead = true } = claim;
  const [found] = await HAS_CLAIMABLE_SLOT(database, recorderId, capacity, fromDead);
  if (!found?.hasClaimable) return [];
  let mayBeUnranked = found.hasUnranked;
  while (mayBeUnranked) mayBeUnranked = (await RANK_SLOTS(database, fromDead)) > 0;
  const slots = await CLAIM_SLOTS(database, recorderId, limit, capacity, fromDead);
  return slots.map((slot) => ({ ...slot, epoch: Number(slot.epoch) }));
}
