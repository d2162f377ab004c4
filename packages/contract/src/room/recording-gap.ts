import { messageIdOf } from './message-id.ts';
import type { RoomMessage } from './room-message.ts';

/** A span of time in which nobody recorded a session. Times are ISO 8601 in UTC. */
export interface RecordingGap {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/**
 * Gives the message by which the history says that it has a gap. A session has one gap that begins at `from`, so whoever
 * tells of it gives it the same id. `knownAt`: milliseconds since the epoch, when it was found to be over.
 */
export function recordingGap(
  { sessionId, from, to, reason }: RecordingGap,
  knownAt: number,
): RoomMessage {
  const kind = 'recording_gap';
  return {
    id: messageIdOf(sessionId, kind, from),
    sessionId,
    role: 'system',
    status: null,
    kind,
    content: `Nothing was recorded from ${from} to ${to} (${reason.replaceAll('_', ' ')})`,
    metadata: { kind, participant: null, source: 'recorder', rawId: from, from, to, reason },
    receivedAt: knownAt,
  };
}
