import { expect, test } from 'vitest';
import {
  ada,
  decide,
  echo,
  madeId,
  messageOf,
  packetOf,
  recorder,
  sessionId,
} from '../../testing/room-events.ts';
import { messageIdOf } from './message-id.ts';

const skipped = (reason: string) => ({ outcome: 'skip', reason });

test.each<[string, Uint8Array]>([
  ['no bytes', new Uint8Array()],
  ['no JSON', Buffer.from('Hi')],
  ['half of an object', Buffer.from('{"type":"user_text","data":"Hi"')],
  ['two objects', Buffer.from('{"type":"user_text","data":"Hi"}{}')],
  ['a trailing comma', Buffer.from('{"type":"user_text","data":"Hi",}')],
  ['UTF-16', Buffer.from('{"type":"user_text","data":"Hi"}', 'utf16le')],
  ['a number', Buffer.from('7')],
  ['a text', Buffer.from('"user_text"')],
  ['a list of packets', Buffer.from('[{"type":"user_text","data":"Hi"}]')],
])('a payload of %s is skipped as unknown', (_, payload) => {
  expect(decide({ type: 'packet', payload, sender: ada, receivedAt: 1 })).toEqual(
    skipped('unknown'),
  );
});

test('a byte order mark before the JSON changes nothing', () => {
  const payload = Buffer.from('\ufeff{"type":"user_text","data":"Hi"}');
  expect(messageOf({ type: 'packet', payload, sender: ada, receivedAt: 1 }).content).toBe('Hi');
});

test('bytes that are no UTF-8 become the replacement character, and the rest is kept', () => {
  const head = Buffer.from('{"type":"user_text","data":"a');
  const payload = Buffer.concat([head, Buffer.from([0xff, 0xc3]), Buffer.from('b"}')]);
  const message = messageOf({ type: 'packet', payload, sender: ada, receivedAt: 1 });
  expect(message.content).toBe('a\uFFFD\uFFFDb');
});

test('the last of two fields with one name counts, as in every JSON parser', () => {
  const payload = Buffer.from('{"type":"tts","type":"user_text","data":"a","data":"b"}');
  expect(messageOf({ type: 'packet', payload, sender: ada, receivedAt: 1 }).content).toBe('b');
});

test.each([
  undefined,
  null,
  7,
  true,
  '',
  'USER_TEXT',
  ' user_text',
  'user_text\0',
  'message',
  '__proto__',
  'constructor',
  'toString',
  ['user_text'],
  { type: 'user_text' },
])('a packet of the type %j is skipped as unknown', (type) => {
  expect(decide(packetOf({ type, data: 'Hi', text: 'Hi', is_final: true }))).toEqual(
    skipped('unknown'),
  );
});

test.each<[string, string]>([
  ['tts', 'tts_control'],
  ['tts_start', 'tts_control'],
  ['TTS-stop', 'tts_control'],
  ['tts1', 'tts_control'],
  ['ttsx', 'unknown'],
  ['my_tts', 'unknown'],
  ['audio', 'audio_chunk'],
  ['audio_stream_chunk', 'audio_chunk'],
  ['AUDIO.1', 'audio_chunk'],
  ['audios', 'unknown'],
])('a packet of the type %s is skipped as %s', (type, reason) => {
  expect(decide(packetOf({ type, data: 'AAAA' }))).toEqual(skipped(reason));
});

test('nothing that a recorder sends is stored, neither text nor an agent event', () => {
  for (const content of [
    { type: 'user_text', data: 'Hi' },
    { type: 'transcript', is_final: true, text: 'Hi' },
    { type: 'complete_todo_list', message: 'done' },
  ]) {
    expect(decide(packetOf(content, recorder))).toEqual(skipped('recorder'));
  }
});

test.each([true, 'true', 1, 'false', null, {}])(
  'a transcript is final only if is_final is the value true, not %j',
  (isFinal) => {
    const { outcome } = decide(packetOf({ type: 'transcript', is_final: isFinal, text: 'Yes' }));
    expect(outcome).toBe(isFinal === true ? 'store' : 'skip');
  },
);

test.each([undefined, null, 7, true, ['Hi'], { text: 'Hi' }])(
  'content that is no text is skipped as unknown: %j',
  (content) => {
    expect(decide(packetOf({ type: 'user_text', data: content }))).toEqual(skipped('unknown'));
    const transcript = { type: 'transcript', is_final: true, text: content };
    expect(decide(packetOf(transcript))).toEqual(skipped('unknown'));
  },
);

test('content in the wrong field is not found', () => {
  expect(decide(packetOf({ type: 'user_text', text: 'Hi' }))).toEqual(skipped('unknown'));
  expect(decide(packetOf({ type: 'transcript', is_final: true, data: 'Hi' }))).toEqual(
    skipped('unknown'),
  );
});

test('empty text is skipped, text of spaces is a message', () => {
  expect(decide(packetOf({ type: 'user_text', data: '' }))).toEqual(skipped('empty'));
  expect(messageOf(packetOf({ type: 'user_text', data: ' \n' })).content).toBe(' \n');
});

test.each<[unknown, string | null]>([
  ['m-1', 'm-1'],
  ['x'.repeat(256), 'x'.repeat(256)],
  ['x'.repeat(257), null],
  ['', null],
  [7, null],
  [null, null],
  [{ id: 'm-1' }, null],
])('a packet with the id %j has the raw id %j', (id, rawId) => {
  const message = messageOf(packetOf({ type: 'user_text', data: 'Hi', id }));
  expect(message.metadata.rawId).toBe(rawId);
  expect(message.id).toBe(rawId === null ? madeId : messageIdOf(sessionId, 'text', rawId));
});

test('the id of a packet does not depend on its sender: an API can send for a person', () => {
  const content = { type: 'user_text', data: 'Hi', id: 'm-1' };
  const ids = [ada, echo, null].map((sender) => messageOf(packetOf(content, sender)).id);
  expect(new Set(ids).size).toBe(1);
});

test.each<[unknown, object]>([
  ['en', { language: 'en' }],
  ['', {}],
  ['d\0e', { language: 'd\uFFFDe' }],
  ['x'.repeat(62_000), {}],
  [7, {}],
  [null, {}],
])('the language %j of a transcript is stored as %j', (language, stored) => {
  const content = { type: 'transcript', is_final: true, text: 'Yes', language, id: 'm-1' };
  expect(messageOf(packetOf(content)).metadata).toEqual({
    kind: 'transcript',
    participant: ada,
    source: 'transcript',
    rawId: 'm-1',
    ...stored,
  });
});

test.each<[unknown, object]>([
  [1000, { spokenAt: '1970-01-01T00:00:01.000Z' }],
  ['2026-11-21T08:00:00Z', { spokenAt: '2026-11-21T08:00:00.000Z' }],
  ['soon', {}],
  [1e300, {}],
  [{ seconds: 1 }, {}],
])(
  'the sender’s timestamp %j is stored as %j, and never as the time of receipt',
  (timestamp, stored) => {
    const message = messageOf(packetOf({ type: 'user_text', data: 'Hi', timestamp }));
    expect(message.receivedAt).toBe(1000);
    expect(message.metadata).toEqual({
      kind: 'text',
      participant: ada,
      source: 'user_text',
      rawId: null,
      ...stored,
    });
  },
);

test.each([
  ['complete_todo_list', 'The task list was updated.'],
  ['plan_deliverable_update', 'A deliverable was updated.'],
  ['state_change_notification', 'The state changed.'],
])('an agent event %s without a sentence says: %s', (type, sentence) => {
  for (const message of [undefined, null, '', ' \n', 7, ['done']]) {
    expect(messageOf(packetOf({ type, message }, echo)).content).toBe(sentence);
  }
  expect(messageOf(packetOf({ type, message: ' Done ' }, echo)).content).toBe(' Done ');
});

test('an agent event that a person sends is stored too: the history restricts no sender', () => {
  const message = messageOf(packetOf({ type: 'complete_todo_list', step: 1 }, ada));
  expect([message.role, message.metadata.participant]).toEqual(['system', ada]);
});

test('a long sentence of an agent event is cut, its payload is kept whole', () => {
  const sentence = 'é'.repeat(40_000);
  const content = { type: 'complete_todo_list', message: sentence, id: 'm-1' };
  const { content: stored, metadata } = messageOf(packetOf(content, echo));
  expect(stored).toBe('é'.repeat(32_768));
  expect(metadata).toMatchObject({ truncated: true, payload: content });
});

test('fields of a packet cannot overwrite what the recorder knows', () => {
  const forged = {
    type: 'user_text',
    data: 'Hi',
    sessionId: 'other',
    participant: echo,
    sender: echo,
    role: 'system',
    status: 'pending',
    kind: 'recording_gap',
    source: 'recorder',
    receivedAt: 7,
    truncated: true,
  };
  expect(messageOf(packetOf(forged))).toEqual(
    messageOf(packetOf({ type: 'user_text', data: 'Hi' })),
  );
});

test('a text and a transcript with one raw id of their own making are two messages', () => {
  const text = messageOf(packetOf({ type: 'user_text', data: 'Hi', id: '1' }));
  const transcript = messageOf(
    packetOf({ type: 'transcript', text: 'Hi', is_final: true, id: '1' }),
  );
  expect(text.id).toBe(messageIdOf(sessionId, 'text', '1'));
  expect(transcript.id).toBe(messageIdOf(sessionId, 'transcript', '1'));
});
