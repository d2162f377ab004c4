import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyRoomEvent, chatOf, decide, madeId, sessionId } from '../../testing/room-events.ts';
import { anyText } from '../../testing/texts.ts';
import { messageIdOf } from './message-id.ts';
import { isAgent, isRecorder, type RoomEvent } from './room-event.ts';
import type { RoomMessage } from './room-message.ts';

const RUNS = 1000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Checks `holds` for every message that a hostile event becomes, and that there are enough such messages. */
function forEachMessage(holds: (message: RoomMessage, event: RoomEvent) => void): void {
  let messages = 0;
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      const decoded = decide(event);
      if (decoded.outcome === 'skip') return;
      messages += 1;
      holds(decoded.message, event);
    }),
    { numRuns: RUNS },
  );
  expect(messages).toBeGreaterThan(RUNS / 10);
}

test('no event makes decode throw, and the same event is always decided alike', () => {
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      expect(decide(structuredClone(event))).toEqual(decide(event));
    }),
    { numRuns: RUNS },
  );
});

test('decode changes nothing in the event: several listeners share it', () => {
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      const copy = structuredClone(event);
      decide(event);
      expect(event).toEqual(copy);
    }),
  );
});

test('PostgreSQL can store every text of every message', () => {
  forEachMessage((message) => {
    const escaped = JSON.stringify(message);
    expect(escaped).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i);
  });
});

test('every message has an id that is a UUID, content, and its session', () => {
  forEachMessage((message, { receivedAt }) => {
    expect(message.id).toMatch(UUID);
    expect(message.content).not.toBe('');
    expect([message.sessionId, message.receivedAt]).toEqual([sessionId, receivedAt]);
    expect(message.metadata.kind).toBe(message.kind);
  });
});

test('a client derives the same id from the metadata that everybody can read', () => {
  forEachMessage(({ id, kind, metadata }, event) => {
    const { rawId } = metadata;
    const sender = event.type === 'text_stream' ? event.sender.identity : undefined;
    expect(id).toBe(rawId === null ? madeId : messageIdOf(sessionId, kind, rawId, sender));
  });
});

test('what was said has a status, and a role other than system unless an agent wrote it in a person’s name', () => {
  forEachMessage(({ role, status, kind, metadata }) => {
    const isSpoken = kind === 'text' || kind === 'transcript';
    const isForged = role === 'system' && metadata.transcribers !== undefined;
    expect([role !== 'system' || isForged, status !== null]).toEqual([isSpoken, isSpoken]);
  });
});

test('only a transcript can be pending, and only as interim or as a broken stream', () => {
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      const decoded = decide(event);
      const isPending = decoded.outcome !== 'skip' && decoded.message.status === 'pending';
      const isInterim = decoded.outcome === 'interim';
      const isBroken = event.type === 'text_stream' && !event.hasEnded;
      expect(isPending).toBe(decoded.outcome !== 'skip' && (isInterim || isBroken));
    }),
    { numRuns: RUNS },
  );
});

test('a recorder leaves no trace in the history, whatever it sends', () => {
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      const sender = event.type.startsWith('participant') ? undefined : senderOf(event);
      const isChat = event.type === 'chat_message';
      fc.pre(!isChat && sender !== undefined && sender !== null && isRecorder(sender));
      expect(decide(event).outcome).toBe('skip');
    }),
    { numRuns: 200 },
  );
});

test('an agent never speaks as the user in a text, and a person never as the assistant', () => {
  forEachMessage(({ kind, role }, event) => {
    const sender = senderOf(event);
    if (!sender || role === 'system') return;
    const expected = isAgent(sender) ? 'assistant' : 'user';
    // An agent may transcribe a person in its own packet.
    const mayTranscribe = event.type === 'packet' && kind === 'transcript' && isAgent(sender);
    expect([expected, ...(mayTranscribe ? ['user'] : [])]).toContain(role);
  });
});

test('a sender that may be a person never speaks as the assistant', () => {
  forEachMessage(({ role }, event) => {
    if (!('candidates' in event) || event.candidates?.every(isAgent)) return;
    expect(role).not.toBe('assistant');
  });
});

test('an unknown sender is stored as unknown, a known sender by its clean fields', () => {
  forEachMessage(({ metadata }, event) => {
    const sender = senderOf(event);
    const fields = metadata.participant === null ? null : Object.keys(metadata.participant);
    expect(fields).toEqual(sender === null ? null : ['identity', 'name', 'sid', 'kind']);
  });
});

test('text that differs only in what PostgreSQL cannot store becomes the same content', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('\0', '\ud800'), (text, broken) => {
      const cleanText = chatOf({ text: `${text}x\uFFFDx` });
      expect(decide(chatOf({ text: `${text}x${broken}x` }))).toEqual(decide(cleanText));
    }),
  );
});

function senderOf(event: RoomEvent) {
  return 'participant' in event ? event.participant : event.sender;
}
