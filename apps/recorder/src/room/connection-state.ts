/**
 * The states of a session's connection to its room.
 *
 * waiting: the slot is claimed, and the connection waits for its turn: only a few connect at the same time.
 *
 * connecting: the first attempt is running, or one of the attempts that follow its failure (`retryDelaysMs`). Nothing is
 * recorded yet.
 *
 * recording: a room is connected, and its events are recorded. When that room fails, reconnecting follows.
 *
 * reconnecting: the room fell silent or has closed. The SDK's own resume is tried, and at the same time fresh rooms, one
 * after another (`retryDelaysMs`). The first room that receives is recorded from, and the others are left.
 *
 * lost: the last attempt has failed, another client connected under this recorder's identity, or, from any other state, the
 * recorder itself failed. Brief connections do not reset the number of attempts, so it may reach twice the length of
 * `retryDelaysMs`. This connection is over. The slot is given up, so that any recorder can claim it a little later.
 *
 * closed: the session is closed, another recorder has the slot, or the process ends. This connection is over.
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

export function canFollow(from: ConnectionState, to: ConnectionState): boolean {
  return TRANSITIONS[from].includes(to);
}
