import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ada,
  anyRoomEvent,
  chatOf,
  decide,
  echo,
  madeId,
  packetOf,
  recorder,
  sessionId,
  streamOf,
} from '../../testing/room-events.ts';
import { decodeNumbered } from './decode-numbered.ts';
import type { RoomEvent, TextStreamEvent } from './room-event.ts';
import type { RoomMessage } from './room-message.ts';

const seq = { q: 'k3x9qa-_', n: 7 };
const numbered = { 'session.seq': 'k3x9qa-_:7' };
const said = '2026-11-21T08:00:00.250Z';

function decideNumbered(event: RoomEvent) {
  return decodeNumbered(event, { sessionId, newId: () => madeId });
}

function messageOf(event: RoomEvent): RoomMessage {
  const decoded = decideNumbered(event);
  if (decoded.outcome === 'skip') throw new Error(`skipped: ${decoded.reason}`);
  return decoded.message;
}

function resentOf(of: string, text: string, fields: Partial<TextStreamEvent> = {}) {
  return streamOf({
    topic: 'session-service.resent',
    streamId: 'again-1',
    text,
    attributes: { ...numbered, 'session.of': of, 'session.spoken_at': said },
    receivedAt: 5000,
    ...fields,
  });
}

test.each<[string, RoomEvent]>([
  ['a packet', packetOf({ type: 'user_text', data: 'Hi', seq })],
  ['an event', packetOf({ type: 'complete_todo_list', seq }, echo)],
  ['a tool call', packetOf({ type: 'tool_call', call: '1', tool: 't', state: 'done', seq }, echo)],
  ['a text stream', streamOf({ topic: 'lk.chat', attributes: numbered })],
  ['an interim transcript', streamOf({ attributes: numbered })],
])('the number of %s is in its metadata, and changes nothing else', (_, event) => {
  const { metadata, ...message } = messageOf(event);
  const plain = decide(event);
  if (plain.outcome === 'skip') throw new Error('skipped');
  expect({ ...message, metadata: { ...plain.message.metadata, seq } }).toEqual({
    ...plain.message,
    metadata,
  });
});

test.each<[string, RoomEvent]>([
  ['a packet', packetOf({ type: 'user_text', data: 'Hi', seq: { q: 'a b', n: 0 } })],
  ['a text stream', streamOf({ attributes: { 'session.seq': 'nothing' } })],
  ['a chat message', chatOf()],
])('a malformed or missing number of %s is dropped, and never the message', (_, event) => {
  expect(decideNumbered(event)).toEqual(decide(event));
});

test('the figures of an agent’s answer are in its metadata, and change nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.constant('{"durationMs":1}'), fc.string(), fc.json()), (turn) => {
      const event = streamOf({ sender: echo, attributes: { 'session.turn': turn } });
      const { turn: _turn, ...metadata } = messageOf(event).metadata;
      expect({ outcome: 'store', message: { ...messageOf(event), metadata } }).toEqual(
        decide(event),
      );
    }),
  );
  const attributes = { ...numbered, 'session.turn': '{"durationMs":1}' };
  const { metadata } = messageOf(streamOf({ sender: echo, attributes }));
  expect(metadata).toMatchObject({ seq, turn: { durationMs: 1 } });
  const packet = packetOf(
    { type: 'user_text', data: 'Hi', 'session.turn': '{"durationMs":1}' },
    echo,
  );
  expect(decideNumbered(packet)).toEqual(decide(packet));
});

test('any event without a number is decided as by decode', () => {
  fc.assert(
    fc.property(anyRoomEvent, (event) => {
      const isResent = event.type === 'text_stream' && event.topic === 'session-service.resent';
      fc.pre(!isResent);
      expect(decideNumbered(event)).toEqual(decide(event));
    }),
  );
});

test('a packet that is sent again is the same message, with the time at which it was said', () => {
  const packet = { type: 'user_text', data: 'Hi', id: 'm-1', seq };
  const { metadata, ...original } = messageOf(packetOf(packet));
  const { metadata: again, ...message } = messageOf(resentOf('packet', JSON.stringify(packet)));
  expect(message).toEqual({ ...original, receivedAt: 5000 });
  expect(again).toEqual({ ...metadata, resent: true, spokenAt: said });
});

test.each<[string, string, Partial<TextStreamEvent>]>([
  ['a text', 'lk.chat', {}],
  ['an answer', 'lk.transcription', { sender: echo }],
  ['a final transcript', 'lk.transcription', {}],
])('%s that is sent again is the same message', (_, topic, fields) => {
  const attributes = { ...numbered, 'lk.transcription_final': 'true' };
  const { metadata, ...original } = messageOf(streamOf({ topic, attributes, ...fields }));
  const resent = resentOf(topic, 'Hello', {
    ...fields,
    attributes: { ...numbered, 'session.of': topic, 'session.id': 's-1' },
  });
  const { metadata: again, ...message } = messageOf(resent);
  const { spokenAt: _unknown, ...rest } = metadata;
  expect(message).toEqual({ ...original, receivedAt: 5000 });
  expect(again).toEqual({ ...rest, resent: true });
});

test('an answer that is sent again keeps its marks', () => {
  const attributes = { ...numbered, 'session.of': 'lk.transcription', 'session.id': 'SG_1' };
  const marked = { ...attributes, 'session.interrupted': 'true' };
  const { metadata } = messageOf(resentOf('', 'I was', { sender: echo, attributes: marked }));
  expect(metadata).toMatchObject({ rawId: 'SG_1', interrupted: true, resent: true, seq });
});

test('of the id of a stream that is sent again, 256 characters name the message', () => {
  const attributes = { ...numbered, 'session.of': 'lk.chat', 'session.id': 'x'.repeat(62_000) };
  const { metadata } = messageOf(resentOf('', 'Hi', { attributes }));
  expect(metadata.rawId).toBe('x'.repeat(256));
});

const text = JSON.stringify({ type: 'user_text', data: 'Hi', id: 'm-1' });
const of = (attributes: Record<string, string>) =>
  resentOf('packet', text, { attributes: { ...numbered, ...attributes } });
test.each<[string, RoomEvent]>([
  ['without a number', resentOf('packet', text, { attributes: { 'session.of': 'packet' } })],
  ['that broke off', resentOf('packet', text, { hasEnded: false })],
  ['of nothing', of({})],
  ['of another topic', of({ 'session.of': 'lk.other', 'session.id': 's-1' })],
  ['of itself', of({ 'session.of': 'session-service.resent', 'session.id': 's-1' })],
  ['without the id of its stream', of({ 'session.of': 'lk.chat' })],
  ['of a packet without an id', resentOf('packet', '{"type":"user_text","data":"Hi"}')],
  ['of a packet that is no JSON', resentOf('packet', 'Hi')],
  ['of a packet in another’s name', resentOf('packet', text, { transcribers: ['agent-1'] })],
  ['of a recorder', resentOf('packet', text, { sender: recorder })],
])('a resend %s is skipped', (_, event) => {
  expect(decideNumbered(event).outcome).toBe('skip');
});

test('an agent that resends in a person’s name does not speak as that person', () => {
  const fields = { sender: ada, transcribers: [echo.identity] };
  const attributes = { ...numbered, 'session.of': 'lk.chat', 'session.id': 's-1' };
  expect(messageOf(resentOf('', 'Hi', { ...fields, attributes })).role).toBe('system');
});

test('no resend makes it throw, whatever is sent again', () => {
  const values = fc.constantFrom('', 'packet', 'lk.chat', 'lk.transcription', 'a:1', 'true');
  const names = ['session.seq', 'session.of', 'session.id', 'session.spoken_at'];
  const attributes = fc.dictionary(fc.constantFrom(...names), fc.oneof(values, fc.string()));
  fc.assert(
    fc.property(attributes, fc.oneof(fc.string(), fc.json()), (given, content) => {
      const event = resentOf('', content, { attributes: { ...given } });
      expect(decideNumbered(structuredClone(event))).toEqual(decideNumbered(event));
    }),
  );
});
