// The part of all claimable slots that one claim looks at. To sort them all would take each claim a tenth of a second with
// 20,000 free slots, and all claims would meet at the same first slots. So a claim reads a window of the free slots:
//
// - the busiest: by the newest message that the session had when a recorder gave its slot back;
// - a random part, for rooms with nobody in them: by a hash of the session, from a random value on, and from the lowest
//   value on where fewer are above. First slots and further slots apart, because sessions without any recorder come first.
//
// The index finds each part in its order, so a claim costs the same however many slots are free. Slots that may not be
// claimed do not count, so a window without slots means that there are none.

/** How many slots each part of a window has at least. */
const WINDOW = 128;

const HASH = 'uuid_hash_extended(free.session_id, 0)';

/** The `set` clause that keeps the newest message of the session; null when it has none. */
export function setLastMessage(slot: string): string {
  return `last_message_at = (
    select head.last_at from session_heads head
    where head.session_id = ${slot}.session_id and head.message_count > 0
  )`;
}

/**
 * The tables `random_start` and `free_slot` (`session_id`) of a `with` clause. `isChoice` is the condition that a slot may be
 * claimed, `toClaim` the number of slots to claim.
 */
export function freeSlots(isChoice: (slot: string) => string, toClaim: string): string {
  const part = (condition: string, order: string) => `(
    select free.session_id from recording_assignments free
    where free.recorder_id is null
      and ${condition}
      and ${isChoice('free')}
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
