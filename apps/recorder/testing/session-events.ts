import type {
  Participant,
  PresenceEvent,
  RoomEvent,
  RoomMessage,
  TextStreamEvent,
} from '@session/contract/room';
import type { EndedText, ReceivedText, SenderFinder } from '../src/message-path.ts';
import { createLog } from '../src/process/log.ts';
import { SenderLookup } from '../src/session/sender-lookup.ts';
import { SessionEvents } from '../src/session/session-events.ts';
import { SkipCounts } from '../src/session/skip-counts.ts';
import { TIMING } from '../src/timing.ts';

const NEVER_MS = 2 ** 31 - 1;
export const ana = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
export const agent = { identity: 'agent-1', name: 'Echo', sid: 'PA_2', kind: 'agent' };

export const NO_TEXTS = { note: () => {}, missing: () => [], findUnheard: async () => [] };

export function transcript(text: string, isFinal: boolean, hasEnded = true): TextStreamEvent {
  return {
    type: 'text_stream',
    topic: 'lk.transcription',
    streamId: 'S_1',
    attributes: { 'lk.transcription_final': String(isFinal), 'lk.segment_id': 'SG_1' },
    text,
    hasEnded,
    sentAt: 0,
    sender: ana,
    receivedAt: 0,
  };
}

export function packet(data: string, id?: string, sender: Participant | null = ana): RoomEvent {
  const payload = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data, id }));
  return { type: 'packet', payload, sender, receivedAt: 0 };
}

export function presence(type: PresenceEvent['type'], reason: string | null = null): PresenceEvent {
  return { type, participant: ana, joinedAt: 1, reason, receivedAt: 0 };
}

export function textEnd(text: Promise<ReceivedText>, receivedAt = 0): EndedText {
  return { identity: ana.identity, streamId: 'S_1', receivedAt, text };
}

const summaryOf = ({ content, status }: RoomMessage) => `${content} ${status ?? ''}`.trim();

interface Replaced {
  readonly senders?: SenderFinder;
  readonly overtakeMs?: number;
  readonly interimMs?: number;
}

/** Returns the events of a session, and the messages that they become: with an id from the room, and without. */
export function openEvents({
  senders,
  overtakeMs = NEVER_MS,
  interimMs = NEVER_MS,
}: Replaced = {}) {
  const written: string[] = [];
  const withoutId: string[] = [];
  const joins: string[] = [];
  const skipped = new SkipCounts();
  const events = new SessionEvents({
    names: {
      load: () => undefined,
      named: (event) => event,
      identified: (message) => message,
    },
    sessionId: 's',
    texts: NO_TEXTS,
    senders:
      senders ??
      new SenderLookup({
        announce: () => {},
        isSigned: () => false,
        listParticipants: async () => [],
        senderMs: 0,
      }),
    messages: {
      push(message) {
        const isNamed = message.metadata.rawId !== null;
        (isNamed ? written : withoutId).push(summaryOf(message));
      },
    },
    sawJoin: ({ participant }) => joins.push(participant.identity),
    skipped,
    log: createLog('silent'),
    timing: { ...TIMING, falseLeaveMs: NEVER_MS, overtakeMs, interimMs, checkpointMs: NEVER_MS },
  });
  const receive = (event: RoomEvent, isConnected = true) =>
    events.receive({ event, isConnected, announced: new Set() });
  return { events, receive, written, withoutId, joins, skipped };
}
