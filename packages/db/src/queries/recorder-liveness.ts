// A live recorder updates its row twice a second, and each time says what it has stored. These are the rules by which the
// others judge it. All take the alias of a row of `recorders`.

/** After this silence a recorder counts as dead: others claim its slots and end its intervals. */
const DEAD_AFTER = `interval '15 s'`;

/** After this silence nobody can say that a recorder still records: four heartbeats are missing. */
const SILENT_AFTER = `interval '2 s'`;

/** The condition that the recorder is dead. */
export function isDead(recorder: string): string {
  return `${recorder}.heartbeat_at <= now() - ${DEAD_AFTER}`;
}

/** The condition that the recorder is not dead. */
export function isAlive(recorder: string): string {
  return `${recorder}.heartbeat_at > now() - ${DEAD_AFTER}`;
}

/** The condition that nobody can say that the recorder still records. */
export function isSilent(recorder: string): string {
  return `${recorder}.heartbeat_at <= now() - ${SILENT_AFTER}`;
}

/** The condition that the recorder was not silent at the time `at`. */
export function isReportingAt(recorder: string, at: string): string {
  return `${recorder}.heartbeat_at > ${at} - ${SILENT_AFTER}`;
}

/**
 * The time before which all that the recorder received is stored. Messages that it keeps for a leader, and so has not
 * stored, are lost with it. Null without a row.
 */
export function storedUntil(recorder: string): string {
  return `least(${recorder}.flushed_at, ${recorder}.standby_at)`;
}

/** The assignments that end an open interval of a dead recorder: it ends where the recorder had last stored everything. */
export function endAsDead(interval: string, recorder: string): string {
  return `to_at = greatest(${interval}.from_at, ${storedUntil(recorder)}), end_reason = 'recorder_died'`;
}
