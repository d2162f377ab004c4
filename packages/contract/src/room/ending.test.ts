import { expect, test } from 'vitest';
import { ada, decide, echo, messageOf, packetOf } from '../../testing/room-events.ts';
import { foldState } from './fold-state.ts';

const ended = {
  type: 'conversation_ended',
  id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4aff',
  at: '2026-05-01T09:00:00.000Z',
  reason: 'booked',
  message: 'The agent ended the conversation.',
};

const reportOf = (packet: object) => messageOf(packetOf(packet, echo)).metadata.payload;
const skipped = { outcome: 'skip', reason: 'unknown' };

test('the end is a message of the system, under its id', () => {
  const { type, id, message, ...report } = ended;
  expect(messageOf(packetOf(ended, echo))).toMatchObject({
    id,
    kind: type,
    role: 'system',
    status: null,
    content: message,
    metadata: { source: type, rawId: id, participant: echo, payload: report },
  });
});

test('the end that a person or nobody reports is skipped', () => {
  expect(decide(packetOf(ended, ada))).toEqual(skipped);
  expect(decide(packetOf(ended, null))).toEqual(skipped);
});

test('only known fields are stored, and a faulty reason is empty', () => {
  expect(reportOf({ ...ended, reason: { a: 1 }, at: 'soon', more: 1 })).toEqual({ reason: '' });
});

test('a huge reason is cut after a whole character, and the sentence to 1 KiB', () => {
  const long = 'é'.repeat(30_000);
  const { content, metadata } = messageOf(
    packetOf({ ...ended, reason: long, message: long }, echo),
  );
  expect(content).toBe('é'.repeat(512));
  expect(metadata.payload).toMatchObject({ reason: 'é'.repeat(400) });
});

test('a sentence of its own stands for a missing one', () => {
  const { content } = messageOf(packetOf({ ...ended, message: '' }, echo));
  expect(content).toBe('The agent ended the conversation.');
});

test('it changes nothing of the state of a session', () => {
  const { content, metadata } = messageOf(packetOf(ended, echo));
  const message = { content, metadata, timestamp: '2026-05-01T09:00:01.000Z' };
  expect(foldState([message])).toMatchObject({ plans: [], agents: [] });
});
