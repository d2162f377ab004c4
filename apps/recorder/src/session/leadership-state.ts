/**
 * The states of a recorder among those that record the same session. A message with a raw id is in the history once, however
 * many recorders store it. A message without a raw id must be stored by exactly one recorder: the leader, whose current
 * interval was stored first.
 *
 * standby: another recorder is the leader, or the leader is not known yet. Messages without a raw id are kept until the
 * leader has stored its own, and some time longer. After a fresh connection the events themselves are held back too, until the
 * leader has stored what it received before.
 *
 * leading: this recorder is the leader, for as long as its interval lasts. Messages without a raw id are stored at once,
 * after those kept messages that the leader before did not store. When the interval ends, standby follows.
 *
 * ended: the recording is over. Kept messages are given up: they count as received only if another recorder covers them.
 */
export type LeadershipState = 'standby' | 'leading' | 'ended';

const TRANSITIONS: Readonly<Record<LeadershipState, readonly LeadershipState[]>> = {
  standby: ['leading', 'ended'],
  leading: ['standby', 'ended'],
  ended: [],
};

export function mayBecome(from: LeadershipState, to: LeadershipState): boolean {
  return TRANSITIONS[from].includes(to);
}
