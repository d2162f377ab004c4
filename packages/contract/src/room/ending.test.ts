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
const handover = {
  type: 'handover',
  id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afe',
  at: '2026-05-01T09:00:00.000Z',
  handover: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afe',
  state: 'requested',
  to: { kind: 'agent', agentTemplateId: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afd', name: 'billing' },
  reason: 'asks about an invoice',
  message: 'The agent hands over to billing.',
};

const reportOf = (packet: object) => messageOf(packetOf(packet, echo)).metadata.payload;
const skipped = { outcome: 'skip', reason: 'unknown' };

test.for([ended, handover])('$type is a message of the system, under its id', (packet) => {
  const { type, id, message, ...report } = packet;
  expect(messageOf(packetOf(packet, echo))).toMatchObject({
    id,
    kind: type,
    role: 'system',
    status: null,
    content: message,
    metadata: { source: type, rawId: id, participant: echo, payload: report },
  });
});

test.for([ended, handover])('$type of a person or of nobody is skipped', (packet) => {
  expect(decide(packetOf(packet, ada))).toEqual(skipped);
  expect(decide(packetOf(packet, null))).toEqual(skipped);
});

test.for<object>([
  { state: 'taking' },
  { state: ['done'] },
  { handover: '' },
  { handover: 'h'.repeat(129) },
  { to: 'billing' },
  { to: { kind: 'person', name: 'Ada' } },
  { to: { ...handover.to, agentTemplateId: undefined } },
  { to: { ...handover.to, name: 7 } },
])('a handover with %j is skipped', (fields) => {
  expect(decide(packetOf({ ...handover, ...fields }, echo))).toEqual(skipped);
});

test('only known fields are stored, and a faulty reason is empty', () => {
  expect(reportOf({ ...ended, reason: { a: 1 }, at: 7, more: 1 })).toEqual({ reason: '' });
  const to = { ...handover.to, more: 1 };
  expect(reportOf({ ...handover, to, more: 1 })).toMatchObject({ to: handover.to });
});

test('a huge reason is cut after a whole character, and the sentence to 1 KiB', () => {
  const long = 'é'.repeat(30_000);
  for (const packet of [ended, handover]) {
    const { content, metadata } = messageOf(
      packetOf({ ...packet, reason: long, message: long }, echo),
    );
    expect(content).toBe('é'.repeat(512));
    expect(metadata.payload).toMatchObject({ reason: 'é'.repeat(400) });
  }
});

test('a sentence of its own stands for a missing one', () => {
  const untold = [ended, handover].map((packet) => ({ ...packet, message: '' }));
  expect(untold.map((packet) => messageOf(packetOf(packet, echo)).content)).toEqual([
    'The agent ended the conversation.',
    'Handover: requested',
  ]);
});

test('neither changes anything of the state of a session', () => {
  const messages = [ended, handover].map((packet) => {
    const { content, metadata } = messageOf(packetOf(packet, echo));
    return { content, metadata, timestamp: '2026-05-01T09:00:01.000Z' };
  });
  expect(foldState(messages)).toMatchObject({ plans: [], agents: [] });
});
