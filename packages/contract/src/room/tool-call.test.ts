import { expect, test } from 'vitest';
import { ada, decide, echo, messageOf, packetOf, recorder } from '../../testing/room-events.ts';
import { foldState } from './fold-state.ts';

const started = {
  type: 'tool_call',
  id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4aff',
  at: '2026-05-01T09:00:00.000Z',
  call: 'c1',
  tool: 'book',
  source: 'http',
  state: 'started',
  arguments: { day: '2026-12-01' },
  message: 'book: started',
};
const done = {
  ...started,
  id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afe',
  state: 'done',
  status: 200,
  durationMs: 212,
  result: '{"rooms":2}',
  step: 'stay',
  message: 'book: done in 0.2 s',
};

const reportOf = (packet: object) => messageOf(packetOf(packet, echo)).metadata.payload;
const skipped = { outcome: 'skip', reason: 'unknown' };

test('a tool call is a message of the system for each of its events, under the id of the event', () => {
  const { type, id, message, ...report } = done;
  expect(messageOf(packetOf(done, echo))).toMatchObject({
    id,
    kind: type,
    role: 'system',
    status: null,
    content: message,
    metadata: { source: 'tool_call', rawId: id, participant: echo, payload: report },
  });
  expect(messageOf(packetOf(started, echo)).id).toBe(started.id);
});

test('a tool call of a person or of nobody is skipped', () => {
  expect(decide(packetOf(done, ada))).toEqual(skipped);
  expect(decide(packetOf(done, null))).toEqual(skipped);
  expect(decide(packetOf(done, recorder))).toEqual({ outcome: 'skip', reason: 'recorder' });
});

test.for<object>([
  { state: 'running' },
  { state: undefined },
  { state: ['done'] },
  { state: 'constructor' },
  { call: 7 },
  { call: '' },
  { tool: undefined },
  { tool: 'a'.repeat(129) },
])('a tool call with %j is skipped', (fields) => {
  expect(decide(packetOf({ ...done, ...fields }, echo))).toEqual(skipped);
});

test('only known fields are stored, and faulty ones are left out', () => {
  const faulty = {
    status: -1,
    durationMs: 'long',
    result: { a: 1 },
    arguments: [1],
    step: 7,
    at: 1,
  };
  const more = { headers: { authorization: 'Bearer x' }, source: null };
  expect(reportOf({ ...done, ...faulty, ...more })).toEqual({
    call: 'c1',
    tool: 'book',
    source: 'unknown',
    state: 'done',
  });
});

test('arguments and result are cut to 2 KiB after a whole character, and the sentence to 1 KiB', () => {
  const long = 'é'.repeat(2000);
  const packet = { ...done, arguments: { day: long }, result: long, message: long };
  const { content, metadata } = messageOf(packetOf(packet, echo));
  expect(content).toBe('é'.repeat(512));
  expect(metadata.payload).toMatchObject({
    arguments: `{"day":"${'é'.repeat(1020)}`,
    result: 'é'.repeat(1024),
    truncated: true,
  });
});

test('what the agent has cut stays marked', () => {
  expect(reportOf({ ...done, arguments: '{"day":"20', truncated: true })).toMatchObject({
    arguments: '{"day":"20',
    truncated: true,
  });
});

test('a sentence of its own stands for a missing one', () => {
  expect(messageOf(packetOf({ ...done, message: '' }, echo)).content).toBe('book: done');
});

test('what PostgreSQL cannot store is replaced', () => {
  expect(reportOf({ ...done, result: 'a\0b\ud800', arguments: { 'a\0': '\udfff' } })).toMatchObject(
    {
      result: 'a\ufffdb\ufffd',
      arguments: { 'a\ufffd': '\ufffd' },
    },
  );
});

test('a tool call changes nothing of the state of a session', () => {
  const { content, metadata } = messageOf(packetOf(done, echo));
  const state = foldState([{ content, metadata, timestamp: '2026-05-01T09:00:01.000Z' }]);
  expect(state).toMatchObject({ plans: [], agents: [] });
});
