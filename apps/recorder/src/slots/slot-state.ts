/**
 * The states of a slot that this process has claimed.
 *
 * held: the session is recorded. The row of the slot and the intervals follow the recording.
 *
 * ending: the recording is being ended, for one reason that does not change. The room is left when it is quiet,
 * and every message that was received is stored. The row and the intervals are still written.
 *
 * ended: the recording is over, and what the database lacks is written. A slot that was lost is given up, and
 * a slot that was handed over is released, as soon as the database takes that.
 *
 * settled: nothing is left to write, and the slot is forgotten.
 */
export type HeldSlotState = 'held' | 'ending' | 'ended' | 'settled';

const TRANSITIONS: Readonly<Record<HeldSlotState, readonly HeldSlotState[]>> = {
  held: ['ending'],
  ending: ['ended'],
  ended: ['settled'],
  settled: [],
};

export function mayProceed(from: HeldSlotState, to: HeldSlotState): boolean {
  return TRANSITIONS[from].includes(to);
}

/**
 * Why a recording ends, which decides what becomes of its slot.
 *
 * lost: the connection failed for good. The slot is given up, and no recorder can claim it for 15 s.
 *
 * closed: the session is closed. The slot is deleted in a later round, when everything is stored.
 *
 * claimed_by_other: another recorder claimed the slot, the session was deleted, or it gave way to another one. The row is not
 * this recorder's any more. The interval ends with the stored reason `taken_over`, or `gave_way`.
 *
 * replaced: another process has started as this recorder. It holds all slots, and nothing may be written in its name.
 *
 * released: this process ends. The slot is free for the other recorders at once.
 */
export type SlotEnd = 'lost' | 'closed' | 'claimed_by_other' | 'replaced' | 'released';
