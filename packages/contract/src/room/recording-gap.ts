import { messageIdOf } from './message-id.ts';
import type { RoomMessage } from './room-message.ts';

/** A span of time in which no recorder recorded a session. Times are ISO 8601 in UTC. */
export interface RecordingGap {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/**
 * Returns the message that marks a gap in the history. A session has only one gap that begins at `from`, so every
 * recorder that reports this gap derives the same message id. A gap has no receipt: it stands where it became known.
 * `knownAt` is when that was, in milliseconds since the epoch.
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
