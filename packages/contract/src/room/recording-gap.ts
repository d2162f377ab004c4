import { messageIdOf } from './message-id.ts';
import type { Participant } from './room-event.ts';
import type { RoomMessage } from './room-message.ts';

export interface RecordingGap {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/**
 * Returns the message that marks a gap in the history. Only one gap of a session begins at `from`, so every recorder that
 * reports this gap derives the same message id. A gap has no receipt: it stands at `knownAt`, when it became known, in
 * milliseconds since the epoch.
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

export interface Flood {
  readonly sessionId: string;
  readonly participant: Participant | null;
  readonly candidates?: readonly string[];
  readonly from: number;
  readonly until: number;
  readonly count: number;
}

/**
 * Returns the message that reports how many messages of a sender came too fast to be stored. All others' messages are recorded
 * in that time.
 */
export function floodGap(flood: Flood, id: string): RoomMessage {
  const { sessionId, participant, candidates, until, count } = flood;
  const kind = 'recording_gap';
  const reason = 'flood';
  const from = new Date(flood.from).toISOString();
  const to = new Date(until + 1).toISOString();
  const sender = participant ? participant.name || participant.identity : 'an unknown sender';
  return {
    id,
    sessionId,
    role: 'system',
    status: null,
    kind,
    content: `${count} messages of ${sender} were not recorded from ${from} to ${to} (${reason})`,
    metadata: {
      kind,
      participant,
      ...(candidates && { candidates }),
      source: 'recorder',
      rawId: null,
      from,
      to,
      reason,
      count,
    },
    receivedAt: until,
  };
}
