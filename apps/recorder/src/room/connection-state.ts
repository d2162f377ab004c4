/**
 * How a session's connection stands.
 *
 * waiting: claimed, and in the queue of those that want to connect, of whom only a few may at a time.
 *
 * connecting: the first attempt is under way, or one of the five that follow its failure. Nothing is heard yet.
 *
 * recording: one room stands, and what happens in it is recorded. However it ends, reconnecting follows.
 *
 * reconnecting: the room fell silent or has closed. The SDK's own resume and up to five fresh rooms run side by side; the
 * first that stands is recorded from, and the others leave.
 *
 * lost: the fifth attempt has failed, somebody else connects in our name, or, from any other state, by a fault of ours.
 * The slot is given up, so that any recorder can claim it a little later; this connection is over.
 *
 * closed: the session is closed, the slot is another recorder's, or the process ends; this connection is over.
 */
export type ConnectionState =
  | 'waiting'
  | 'connecting'
  | 'recording'
  | 'reconnecting'
  | 'lost'
  | 'closed';

const TRANSITIONS: Readonly<Record<ConnectionState, readonly ConnectionState[]>> = {
  waiting: ['connecting', 'lost', 'closed'],
  connecting: ['recording', 'lost', 'closed'],
  recording: ['reconnecting', 'lost', 'closed'],
  reconnecting: ['recording', 'lost', 'closed'],
  lost: [],
  closed: [],
};

/** Whether a connection may go from the one state to the other. */
export function canFollow(from: ConnectionState, to: ConnectionState): boolean {
  return TRANSITIONS[from].includes(to);
}
