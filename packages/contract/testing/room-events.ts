import * as fc from 'fast-check';
import { decode } from '../src/room/decode.ts';
import type {
  ChatMessageEvent,
  Participant,
  PresenceEvent,
  RoomEvent,
  TextStreamEvent,
} from '../src/room/room-event.ts';
import type { Decoded, RoomMessage } from '../src/room/room-message.ts';
import { anyText } from './texts.ts';

export const sessionId = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
export const madeId = '0197a1b2-0000-7000-8000-000000000000';

export const ada: Participant & { sid: string } = {
  identity: 'user-1-x',
  name: 'Ada',
  sid: 'PA_1',
  kind: 'standard',
};
export const echo: Participant & { sid: string } = {
  identity: 'agent-echo-1',
  name: 'Echo',
  sid: 'PA_2',
  kind: 'agent',
};
export const recorder: Participant & { sid: string } = {
  identity: 'recorder-1',
  name: '',
  sid: 'PA_3',
  kind: 'standard',
};

export function decide(event: RoomEvent): Decoded {
  return decode(event, { sessionId, newId: () => madeId });
}

/** Returns the message that an event becomes, stored or kept as interim. Throws if the event is skipped. */
export function messageOf(event: RoomEvent): RoomMessage {
  const decoded = decide(event);
  if (decoded.outcome === 'skip') throw new Error(`skipped: ${decoded.reason}`);
  return decoded.message;
}

export function packetOf(content: unknown, sender: Participant | null = ada): RoomEvent {
  const payload = new TextEncoder().encode(JSON.stringify(content));
  return { type: 'packet', payload, sender, receivedAt: 1000 };
}

/** Returns a text stream of Ada's with one version of a transcript, changed by `fields`. */
export function streamOf(fields: Partial<TextStreamEvent> = {}): TextStreamEvent {
  return {
    type: 'text_stream',
    topic: 'lk.transcription',
    streamId: 's-1',
    attributes: {},
    text: 'Hello',
    hasEnded: true,
    sentAt: 999,
    sender: ada,
    receivedAt: 1000,
    ...fields,
  };
}

export function chatOf(fields: Partial<ChatMessageEvent> = {}): ChatMessageEvent {
  const message = { id: 'c-1', text: 'Hi', sentAt: 999, sender: ada, receivedAt: 1000 };
  return { type: 'chat_message', ...message, ...fields };
}

export function joinOf(fields: Partial<PresenceEvent> = {}): PresenceEvent {
  const event = { participant: ada, joinedAt: 5, reason: null, receivedAt: 1000 };
  return { type: 'participant_joined', ...event, ...fields };
}

const identity = fc.oneof(
  anyText,
  anyText.map((text) => `agent-${text}`),
  anyText.map((text) => `recorder-${text}`),
);
const participant = fc.record({
  identity,
  name: anyText,
  sid: anyText,
  kind: fc.oneof(fc.constantFrom('standard', 'agent', 'sip', 'unknown'), anyText),
});
const clock = fc.option(fc.oneof(fc.double(), fc.integer()));
const receivedAt = fc.nat();

const sent = fc.oneof(
  fc.record({ sender: participant }),
  fc.record(
    { sender: fc.constant(null), candidates: fc.array(participant, { maxLength: 3 }) },
    { requiredKeys: ['sender'] },
  ),
);

const packet = fc.record({
  type: fc.constant('packet' as const),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc
      .record({
        type: fc.oneof(
          fc.constantFrom(
            'user_text',
            'transcript',
            'complete_todo_list',
            'tool_call',
            'tts_start',
            'audio_x',
          ),
          anyText,
        ),
        data: fc.oneof(anyText, fc.jsonValue()),
        text: fc.oneof(anyText, fc.jsonValue()),
        is_final: fc.oneof(fc.boolean(), fc.jsonValue()),
        id: fc.oneof(anyText, fc.uuid(), fc.jsonValue()),
        message: fc.oneof(anyText, fc.jsonValue()),
        timestamp: fc.oneof(anyText, fc.double()),
      })
      .map((content) => new TextEncoder().encode(JSON.stringify(content))),
  ),
  receivedAt,
});

const transcribed = fc.record(
  { transcribers: fc.array(anyText, { maxLength: 3 }), isOfTrack: fc.boolean() },
  { requiredKeys: [] },
);

const streamEvent = fc.record({
  type: fc.constant('text_stream' as const),
  topic: fc.oneof(fc.constantFrom('lk.transcription', 'lk.chat'), anyText),
  streamId: anyText,
  attributes: fc.oneof(
    fc.dictionary(anyText, anyText, { maxKeys: 3 }),
    fc.record({
      'lk.segment_id': anyText,
      'lk.transcription_final': fc.constantFrom('true', 'false', 'TRUE', ''),
    }),
  ),
  text: anyText,
  hasEnded: fc.boolean(),
  sentAt: clock,
  sender: participant,
  receivedAt,
});

const chat = fc.record({
  type: fc.constant('chat_message' as const),
  id: anyText,
  text: anyText,
  sentAt: clock,
  receivedAt,
});

const presenceEvent = fc.record({
  type: fc.constantFrom('participant_joined' as const, 'participant_left' as const),
  participant,
  joinedAt: clock,
  reason: fc.option(anyText),
  receivedAt,
});

/** Any room event: most of them hostile, of all senders, topics and types. */
export const anyRoomEvent: fc.Arbitrary<RoomEvent> = fc.oneof(
  fc.tuple(fc.oneof(packet, chat), sent).map(([event, by]) => ({ ...event, ...by })),
  fc.tuple(streamEvent, transcribed).map(([event, by]) => ({ ...event, ...by })),
  presenceEvent,
);
