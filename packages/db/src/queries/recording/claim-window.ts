import { isChoiceOfSession, keepsChoice } from './claimable-slots.ts';

// The part of all claimable slots that one claim looks at. To sort them all would take each claim a tenth of a second with
// 20,000 free slots, and all claims would meet at the same first slots. So a claim reads a window of the free slots:
//
// - the busiest: by the newest message that the session had when a recorder gave its slot back;
// - a random part, for rooms with nobody in them: by a hash of the session, from a random value on, and from the lowest
//   value on where fewer are above. First slots and further slots apart, because sessions without any recorder come first.
//
// And a window of the slots that dead and draining recorders hold:
//
// - the busiest of each such recorder, ranked before (slot-ranks.ts);
// - slots of two of these recorders at random.
//
// The index finds each part in its order, so a claim costs the same however many slots are free. Each dead or draining
// recorder adds as many slots as are to be claimed. Slots that may not be claimed do not count, so a window without slots
// means that there are none.

const WINDOW = 128;

const HASH = 'uuid_hash_extended(free.session_id, 0)';

const RECORDERS = 2;

export function claimWindow(toClaim: string): string {
  return `${freeSlots(toClaim)}, ${replaceableSlots(toClaim)}`;
}

function freeSlots(toClaim: string): string {
  const part = (condition: string, order: string) => `(
    select free.session_id from recording_assignments free
    where free.recorder_id is null
      and ${condition}
      and ${isChoiceOfSession('free')}
    order by ${order}
    limit greatest(${WINDOW}, ${toClaim})
  )`;
  const start = '(select hash from random_start)';
  return `random_start as materialized (
  -- Any value of a bigint.
  select ((random() - 0.5) * 18446744073709549568)::bigint as hash
), free_slot as materialized (
  ${part('free.last_message_at is not null', 'free.last_message_at desc')}
  union
  ${part(`free.slot = 0 and ${HASH} >= ${start}`, HASH)}
  union
  ${part(`free.slot = 0 and ${HASH} < ${start}`, HASH)}
  union
  ${part(`free.slot > 0 and (free.slot, ${HASH}) >= (1, ${start})`, `free.slot, ${HASH}`)}
  union
  ${part(`free.slot > 0 and (free.slot, ${HASH}) < (1, ${start})`, `free.slot, ${HASH}`)}
)`;
}

function replaceableSlots(toClaim: string): string {
  return `replaceable_slot as materialized (
  select busiest.session_id
  from unnest((select ids from replaceable_recorder)) replaceable (id)
  cross join lateral (
    select held.session_id from recording_assignments held
    where held.recorder_id = replaceable.id
      and ${isChoiceOfSession('held')}
    order by held.last_message_at desc nulls last
    limit ${toClaim}
  ) busiest
  union
  select kept_slot.session_id
  from (
    select replaceable.id from unnest((select ids from replaceable_recorder)) replaceable (id)
    where ${keepsChoice('replaceable')}
    order by random()
    limit ${RECORDERS}
  ) some_recorder
  cross join lateral (
    select held.session_id from recording_assignments held
    where held.recorder_id = some_recorder.id
      and ${isChoiceOfSession('held')}
    limit greatest(${WINDOW}, ${toClaim})
  ) kept_slot
)`;
}
