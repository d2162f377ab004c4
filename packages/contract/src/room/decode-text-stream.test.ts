import { expect, test } from 'vitest';
import {
  ada,
  decide,
  echo,
  messageOf,
  recorder,
  sessionId,
  streamOf,
} from '../../testing/room-events.ts';
import { messageIdOf } from './message-id.ts';

const FINAL = 'lk.transcription_final';
const SEGMENT = 'lk.segment_id';
const INTERRUPTED = 'session.interrupted';
const TRUNCATED = 'session.truncated';
const CHAT = 'lk.chat';

// A person's transcript is final when it is marked as final, an agent's transcript when it has ended. Chat texts are
// always final.
test.each<[string, 'ada' | 'echo', string, boolean, string, string]>([
  ['lk.transcription', 'ada', 'true', true, 'store', 'complete'],
  ['lk.transcription', 'ada', 'true', false, 'store', 'pending'],
  ['lk.transcription', 'ada', 'false', true, 'interim', 'pending'],
  ['lk.transcription', 'ada', 'false', false, 'store', 'pending'],
  ['lk.transcription', 'ada', 'TRUE', true, 'interim', 'pending'],
  ['lk.transcription', 'ada', '', true, 'interim', 'pending'],
  ['lk.transcription', 'echo', 'true', true, 'store', 'complete'],
  ['lk.transcription', 'echo', 'true', false, 'store', 'pending'],
  ['lk.transcription', 'echo', 'false', true, 'store', 'complete'],
  ['lk.transcription', 'echo', 'false', false, 'store', 'pending'],
  ['lk.chat', 'ada', 'false', true, 'store', 'complete'],
  ['lk.chat', 'ada', 'true', false, 'store', 'pending'],
  ['lk.chat', 'echo', '', true, 'store', 'complete'],
  ['lk.chat', 'echo', '', false, 'store', 'pending'],
])('%s of %s, final "%s", ended %s: %s as %s', (topic, name, final, hasEnded, outcome, status) => {
  const sender = name === 'ada' ? ada : echo;
  const decoded = decide(streamOf({ topic, sender, hasEnded, attributes: { [FINAL]: final } }));
  expect(decoded).toMatchObject({
    outcome,
    message: { status, role: name === 'ada' ? 'user' : 'assistant' },
  });
});

test.each([
  [true, undefined],
  [false, true],
])('a stream that ended (%s) is marked as truncated: %s', (hasEnded, truncated) => {
  expect(messageOf(streamOf({ hasEnded })).metadata.truncated).toBe(truncated);
  expect(messageOf(streamOf({ hasEnded, topic: CHAT })).metadata.truncated).toBe(truncated);
});

test.each<[string, 'ada' | 'echo', Record<string, string>, object]>([
  ['an agent’s interruption', 'echo', { [INTERRUPTED]: 'true' }, { interrupted: true }],
  ['an agent that broke off', 'echo', { [TRUNCATED]: 'true' }, { truncated: true }],
  [
    'both, of an agent',
    'echo',
    { [INTERRUPTED]: 'true', [TRUNCATED]: 'true' },
    { interrupted: true, truncated: true },
  ],
  ['another value, of an agent', 'echo', { [INTERRUPTED]: 'TRUE', [TRUNCATED]: '1' }, {}],
  ['a person', 'ada', { [INTERRUPTED]: 'true', [TRUNCATED]: 'true' }, {}],
])(
  'the marks of %s: a complete message with those that an agent may set',
  (_, name, attributes, marks) => {
    const sender = name === 'ada' ? ada : echo;
    for (const topic of ['lk.transcription', CHAT]) {
      const { status, metadata } = messageOf(
        streamOf({ topic, sender, attributes: { [FINAL]: 'true', ...attributes } }),
      );
      const { interrupted, truncated } = metadata;
      expect({ status, interrupted, truncated }).toEqual({ status: 'complete', ...marks });
    }
  },
);

test('of a stream’s own id, 256 characters name the message', () => {
  const streamId = 'x'.repeat(62_000);
  const rawId = 'x'.repeat(256);
  const { id, metadata } = messageOf(streamOf({ topic: CHAT, streamId }));
  expect(metadata.rawId).toBe(rawId);
  expect(id).toBe(messageIdOf(sessionId, 'text', rawId, ada.identity));
  expect(messageOf(streamOf({ topic: CHAT, streamId: rawId })).id).toBe(id);
});

test('a stream of more than 64 KiB is cut and complete: its sender did end it', () => {
  const stream = streamOf({ topic: CHAT, text: '👋'.repeat(20_000) });
  const { content, status, metadata } = messageOf(stream);
  expect([Buffer.byteLength(content), status, metadata.truncated]).toEqual([
    65_536,
    'complete',
    true,
  ]);
});

test.each(['', 'lk.other', 'LK.CHAT', 'lk.chat ', 'constructor', '__proto__'])(
  'a stream on the topic "%s" is skipped as unknown',
  (topic) => {
    expect(decide(streamOf({ topic }))).toEqual({ outcome: 'skip', reason: 'unknown' });
  },
);

test('an empty stream is skipped, also a broken one, and a recorder’s stream always', () => {
  const empty = { outcome: 'skip', reason: 'empty' };
  expect(decide(streamOf({ text: '' }))).toEqual(empty);
  expect(decide(streamOf({ text: '', hasEnded: false }))).toEqual(empty);
  expect(decide(streamOf({ sender: recorder }))).toEqual({ outcome: 'skip', reason: 'recorder' });
});

test.each<[string, Record<string, string>, string]>([
  ['its segment', { [SEGMENT]: 'SG_1' }, 'SG_1'],
  ['the stream, without a segment', {}, 's-1'],
  ['the stream, when the segment is empty', { [SEGMENT]: '' }, 's-1'],
  ['the stream, when the segment is too long', { [SEGMENT]: 'x'.repeat(257) }, 's-1'],
  ['a clean segment', { [SEGMENT]: 'SG\0' }, 'SG\uFFFD'],
])('the raw id of a transcript is the id of %s', (_, attributes, rawId) => {
  const message = messageOf(streamOf({ attributes }));
  expect(message.metadata.rawId).toBe(rawId);
  expect(message.id).toBe(messageIdOf(sessionId, 'transcript', rawId, ada.identity));
});

test('chat has the stream’s id even where a segment is named', () => {
  const { id, metadata } = messageOf(streamOf({ topic: CHAT, attributes: { [SEGMENT]: 'SG_1' } }));
  expect(metadata.rawId).toBe('s-1');
  expect(id).toBe(messageIdOf(sessionId, 'text', 's-1', ada.identity));
});

test('attributes that every object inherits are not attributes of the stream', () => {
  const attributes: Record<string, string> = JSON.parse('{"__proto__":"x","constructor":"x"}');
  expect(messageOf(streamOf({ attributes }))).toEqual(messageOf(streamOf()));
});

test('a sender whose identity no UTF-8 can carry has an id all the same', () => {
  const sender = { ...ada, identity: 'user-\ud800' };
  const message = messageOf(streamOf({ sender }));
  expect(message.id).toBe(messageIdOf(sessionId, 'transcript', 's-1', 'user-\uFFFD'));
});

test.each<[number | null, object]>([
  [999, { spokenAt: '1970-01-01T00:00:00.999Z' }],
  [0, { spokenAt: '1970-01-01T00:00:00.000Z' }],
  [null, {}],
  [Number.NaN, {}],
  [1e300, {}],
])('a sender’s clock of %s is stored as %j', (sentAt, stored) => {
  const metadata = {
    kind: 'transcript',
    participant: ada,
    source: 'lk.transcription',
    rawId: 's-1',
    ...stored,
  };
  expect(messageOf(streamOf({ sentAt })).metadata).toEqual(metadata);
});
