import { anyCharacter } from '@session/testing/any-character';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ada,
  decide,
  echo,
  madeId,
  packetOf,
  sessionId,
  streamOf,
} from '../../testing/room-events.ts';
import type { Participant, RoomEvent, TextStreamEvent } from './room-event.ts';
import type { RoomMessage } from './room-message.ts';
import { encodePacket } from './wire.ts';

function recorded(event: RoomEvent): RoomMessage {
  const decoded = decide(event);
  if (decoded.outcome !== 'store') throw new Error(`not stored: ${JSON.stringify(decoded)}`);
  return decoded.message;
}

const final = { 'lk.transcription_final': 'true', 'lk.segment_id': 'SG_1' };

test('typed text is a complete message of its sender, under its own id', () => {
  const id = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4aff';
  expect(recorded(packetOf({ type: 'user_text', data: 'Hi', id }))).toEqual({
    id,
    sessionId,
    role: 'user',
    status: 'complete',
    kind: 'text',
    content: 'Hi',
    metadata: { kind: 'text', participant: ada, source: 'user_text', rawId: id },
    receivedAt: 1000,
  });
});

test('a packet without an id gets a new id, which no client can know', () => {
  expect(recorded(packetOf({ type: 'user_text', data: 'Hi' }))).toMatchObject({
    id: madeId,
    metadata: { rawId: null },
  });
});

test.each<[string, Participant, unknown, string]>([
  ['a person', ada, { type: 'user_text', data: 'x' }, 'user'],
  ['an agent that types', echo, { type: 'user_text', data: 'x' }, 'assistant'],
  ['an agent', echo, { type: 'transcript', is_final: true, text: 'x' }, 'assistant'],
  [
    'an agent that transcribes a person',
    echo,
    { type: 'transcript', is_final: true, text: 'x', role: 'user' },
    'user',
  ],
  [
    'a person that claims to be the assistant',
    ada,
    { type: 'transcript', is_final: true, text: 'x', role: 'assistant' },
    'user',
  ],
])('the role of what %s says', (_, sender, content, role) => {
  expect(recorded(packetOf(content, sender)).role).toBe(role);
});

test.each([
  [
    { type: 'complete_todo_list', message: '1 of 2 done', steps: [1] },
    '1 of 2 done',
    { type: 'complete_todo_list', steps: [1] },
  ],
  [
    { type: 'plan_deliverable_update', message: ' ' },
    'A deliverable was updated.',
    { type: 'plan_deliverable_update', message: ' ' },
  ],
  [
    { type: 'state_change_notification', state: 'ready' },
    'The state changed.',
    { type: 'state_change_notification', state: 'ready' },
  ],
])(
  'an agent event is kept whole, with one sentence for people that its payload does not repeat: %j',
  (content, sentence, payload) => {
    const message = recorded(packetOf(content, echo));
    expect(message).toMatchObject({
      role: 'system',
      status: null,
      kind: content.type,
      content: sentence,
    });
    expect(message.metadata.payload).toEqual(payload);
  },
);

test.each<[string, unknown]>([
  ['partial_transcript', { type: 'transcript', is_final: false, text: 'Hel' }],
  ['partial_transcript', { type: 'transcript', text: 'Hel' }],
  ['tts_control', { type: 'tts_start' }],
  ['tts_control', { type: 'tts' }],
  ['audio_chunk', { type: 'audio_stream_chunk', data: 'AAAA' }],
  ['empty', { type: 'user_text', data: '' }],
  ['unknown', { type: 'user_text', data: 7 }],
  ['unknown', { type: 'ttsx' }],
  ['unknown', { type: 'constructor' }],
  ['unknown', [1]],
  ['unknown', null],
])('skipped as %s: %j', (reason, content) => {
  expect(decide(packetOf(content))).toEqual({ outcome: 'skip', reason });
});

test.each<[string, Partial<TextStreamEvent>, string, string]>([
  ['marked final', { attributes: final }, 'store', 'complete'],
  ["an agent's, ended", { sender: echo }, 'store', 'complete'],
  [
    "an agent's, ended, marked as not final",
    { sender: echo, attributes: { 'lk.transcription_final': 'false' } },
    'store',
    'complete',
  ],
  ["a person's, not marked", {}, 'interim', 'pending'],
  ['broken, although marked final', { attributes: final, hasEnded: false }, 'store', 'pending'],
  ["an agent's, broken", { sender: echo, hasEnded: false }, 'store', 'pending'],
  ['chat', { topic: 'lk.chat' }, 'store', 'complete'],
])('a text stream that is %s', (_, part, outcome, status) => {
  const decoded = decide(streamOf(part));
  expect(decoded).toMatchObject({ outcome, message: { status } });
});

test('the versions of one segment have one id; another sender cannot take it', () => {
  const first = decide(streamOf({ attributes: { 'lk.segment_id': 'SG_1' }, streamId: 'a' }));
  const last = recorded(streamOf({ attributes: final, streamId: 'b' }));
  expect(first).toMatchObject({ message: { id: last.id } });
  expect(recorded(streamOf({ attributes: final, sender: echo })).id).not.toBe(last.id);
});

test('the message of a broken stream is marked as truncated', () => {
  expect(recorded(streamOf({ hasEnded: false })).metadata.truncated).toBe(true);
});

test('joins and leaves name the stay; recorders are no participants', () => {
  const participant = { ...ada, sid: 'PA_1' };
  const join = { type: 'participant_joined', participant, joinedAt: 5, receivedAt: 9 } as const;
  expect(recorded({ ...join, reason: null })).toMatchObject({
    role: 'system',
    status: null,
    content: 'Ada joined',
    metadata: { rawId: 'PA_1', joinedAt: '1970-01-01T00:00:00.005Z' },
  });
  const left = recorded({ ...join, type: 'participant_left', reason: 'CLIENT_INITIATED' });
  expect(left).toMatchObject({
    content: 'Ada left',
    metadata: { payload: { reason: 'CLIENT_INITIATED' } },
  });
  const recorder = { ...participant, identity: 'recorder-1' };
  expect(decide({ ...join, reason: null, participant: recorder })).toEqual({
    outcome: 'skip',
    reason: 'recorder',
  });
});

test('content is cut to 64 KiB at a whole character, and marked as truncated', () => {
  const { content, metadata } = recorded(
    packetOf({ type: 'user_text', data: '👋'.repeat(20_000) }),
  );
  expect([new TextEncoder().encode(content).length, content.isWellFormed()]).toEqual([
    65_536,
    true,
  ]);
  expect(metadata.truncated).toBe(true);
});

test('characters that PostgreSQL refuses are replaced in every field', () => {
  const content = { type: 'complete_todo_list', message: 'a\0b', 'k\0': ['\uD800'] };
  const json = JSON.stringify(recorded(packetOf(content, { ...echo, name: 'E\0' })));
  expect(json).not.toMatch(/\\u0000|\\ud800/i);
});

test('a payload of thousands of levels is cut where PostgreSQL would give up', () => {
  const deep = `{"type":"complete_todo_list","x":${'['.repeat(9000)}${']'.repeat(9000)}}`;
  const payload = new TextEncoder().encode(deep);
  const message = recorded({ type: 'packet', payload, sender: echo, receivedAt: 1 });
  expect(JSON.stringify(message.metadata.payload).length).toBeLessThan(300);
});

/** How many payloads of each sort are tried; `DECODE_RUNS=1000000` tries a million. */
const RUNS = Number(process.env['DECODE_RUNS'] ?? 1500);

/** Returns how many payloads were tried. Throws if one makes `decode` throw, or becomes a message that cannot be stored. */
function tryMany(payloads: fc.Arbitrary<Uint8Array>): number {
  let tried = 0;
  fc.assert(
    fc.property(payloads, fc.constantFrom(ada, echo, null), (payload, sender) => {
      tried += 1;
      const decoded = decide({ type: 'packet', payload, sender, receivedAt: 1 });
      if (decoded.outcome === 'skip') return;
      const { message } = decoded;
      expect(message.content.isWellFormed() && !message.content.includes('\0')).toBe(true);
      expect(JSON.stringify(message)).not.toMatch(/(?<!\\)(\\\\)*\\u0000/);
    }),
    { numRuns: RUNS },
  );
  return tried;
}

const TIMEOUT_MS = 60_000 + 5 * RUNS;

test('no bytes make decode throw, and every message can be stored', {
  timeout: TIMEOUT_MS,
}, () => {
  expect(tryMany(fc.uint8Array({ maxLength: 200 }))).toBe(RUNS);
});

test('no JSON makes decode throw, and every message can be stored', {
  timeout: TIMEOUT_MS,
}, () => {
  const typed = fc.constantFrom(
    'user_text',
    'transcript',
    'complete_todo_list',
    'state_change_notification',
    'tool_call',
    'conversation_ended',
    'tts_x',
  );
  const shaped = fc.record(
    {
      type: typed,
      data: fc.anything(),
      text: fc.string({ unit: anyCharacter }),
      is_final: fc.boolean(),
      id: fc.anything(),
      message: fc.anything(),
      timestamp: fc.anything(),
      role: fc.anything(),
      call: fc.constantFrom('c1', 1),
      tool: fc.string({ unit: anyCharacter }),
      state: fc.constantFrom('started', 'done', 'x'),
      arguments: fc.anything(),
      result: fc.anything(),
    },
    { requiredKeys: ['type'] },
  );
  const payloads = fc.oneof(
    fc.json().map((text) => new TextEncoder().encode(text)),
    shaped.map((value) => new TextEncoder().encode(safeJson(value))),
  );
  expect(tryMany(payloads)).toBe(RUNS);
});

test('decode understands a packet that encodePacket made', () => {
  const payload = encodePacket({ type: 'transcript', is_final: true, text: 'Yes', language: 'en' });
  expect(recorded({ type: 'packet', payload, sender: ada, receivedAt: 1 })).toMatchObject({
    kind: 'transcript',
    metadata: { language: 'en' },
  });
});

test("LiveKit's chat messages are typed text", () => {
  const event = { type: 'chat_message', id: 'c-1', text: 'Hi', sentAt: 7, receivedAt: 9 } as const;
  expect(recorded({ ...event, sender: echo })).toMatchObject({ role: 'assistant', kind: 'text' });
  expect(recorded({ ...event, sender: null })).toMatchObject({
    role: 'user',
    metadata: { spokenAt: '1970-01-01T00:00:00.007Z', source: 'chat_message' },
  });
});

/** Returns the JSON of `value`. A value that JSON cannot express becomes null, as it would on its way through a room. */
function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? null : item));
  } catch {
    return '{}';
  }
}
