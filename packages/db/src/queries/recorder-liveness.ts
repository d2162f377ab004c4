// How one recorder judges another. A live recorder sends a heartbeat twice a second: an update of its row in `recorders`,
// which also contains until when everything that it received is stored. The functions take the alias of a row of this table.
//
// late: without a heartbeat for 2 s. It is unknown whether the recorder still records, so its sessions are not shown as
// recorded. It keeps its slots and its intervals.
//
// dead: without a heartbeat for 15 s. Other recorders claim its slots and end its intervals. Two statements end them:
// - CLAIM_SLOTS does so with the claim of a slot, in the claimed session. A recorder that claims a slot of a dead recorder
//   thus never finds that recorder leading.
// - endDeadIntervals does so in all sessions, also where no slot is left to claim: the slot was released or deleted before
//   the interval could be ended, or every live recorder is draining. It returns the sessions, because their gaps are due.
// A recorder that starts again ends the intervals of its own earlier process in the same manner, dead or not
// (startRecorder).
//
// leader: of the recorders with an open interval in a session, the recorder whose interval was stored first. A live recorder
// that has left the room leads until all that it received there is stored (listSlots).
//
// no longer held: a recorder holds a slot only while the slot's row has this recorder's id and the epoch of its claim. When
// another recorder has claimed the slot, or the slot is deleted, the statements of the former holder change nothing.

const DEAD_AFTER = `interval '15 s'`;

const LATE_AFTER = `interval '2 s'`;

export function isDead(recorder: string): string {
  return `${recorder}.heartbeat_at <= now() - ${DEAD_AFTER}`;
}

export function isAlive(recorder: string): string {
  return `${recorder}.heartbeat_at > now() - ${DEAD_AFTER}`;
}

export function isLate(recorder: string): string {
  return `${recorder}.heartbeat_at <= now() - ${LATE_AFTER}`;
}

export function isReportingAt(recorder: string, at: string): string {
  return `${recorder}.heartbeat_at > ${at} - ${LATE_AFTER}`;
}

/**
 * Returns the expression for the time before which everything that the recorder received in the interval is stored:
 * neither kept for a leader, nor in memory or a lane (`unsure_from`). Null if the recorder has no row.
 */
export function storedUntil(recorder: string, interval: string): string {
  return `case when ${recorder}.flushed_at is not null
    then least(${recorder}.flushed_at, ${recorder}.standby_at, ${interval}.unsure_from) end`;
}

export function endAsDead(interval: string, recorder: string): string {
  return `to_at = greatest(${interval}.from_at, ${storedUntil(recorder, interval)}), end_reason = 'recorder_died'`;
}
