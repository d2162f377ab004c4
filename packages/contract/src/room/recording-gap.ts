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
 * Returns the message that marks a gap. Only one gap of a session begins at `from`, so every recorder derives the same
 * id. `knownAt`: the time of the message, in ms since the epoch.
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

/** Returns the message that reports how many messages of a sender came too fast to be stored. */
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

interface MissingMessages {
  readonly sessionId: string;
  /** The identity of the sender, or of its user. */
  readonly identity: string;
  readonly q: string;
  readonly missing: readonly (readonly [first: number, last: number])[];
  readonly from: string;
  readonly to: string;
}

const MAX_RANGES = 100;

/**
 * Returns the message that reports a sender's missing messages by their numbers. Its id is the same, whoever reports
 * it.
 */
export function missingMessages(lost: MissingMessages, knownAt: number): RoomMessage {
  const { sessionId, identity, q, from, to } = lost;
  const kind = 'recording_gap';
  const reason = 'missing_messages';
  const count = lost.missing.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const [first = 0] = lost.missing[0] ?? [];
  const rawId = `${identity}/${q}:${first}:${count}`;
  return {
    id: messageIdOf(sessionId, kind, rawId),
    sessionId,
    role: 'system',
    status: null,
    kind,
    content: `${count} messages of ${identity} between ${from} and ${to} never arrived (${reason.replace('_', ' ')})`,
    metadata: {
      kind,
      participant: null,
      source: 'sequence',
      rawId,
      from,
      to,
      reason,
      count,
      identity,
      missing: lost.missing.slice(0, MAX_RANGES),
    },
    receivedAt: knownAt,
  };
}
