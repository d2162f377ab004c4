import { expect, test } from 'vitest';
import { ada, decide, echo, madeId, packetOf, sessionId } from '../../testing/room-events.ts';
import { decodeNumbered } from './decode-numbered.ts';
import { foldState } from './fold-state.ts';
import { handoverRefusalIn } from './handover.ts';

const handover = {
  type: 'handover',
  id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afe',
  at: '2026-05-01T09:00:00.000Z',
  state: 'requested',
  reason: 'wants a refund',
  message: 'The agent asks for a person.',
};
const skipped = { outcome: 'skip', reason: 'unknown' };

function stored(packet: object, sender: typeof ada | null = echo) {
  return decodeNumbered(packetOf(packet, sender), { sessionId, newId: () => madeId });
}

function payloadTo(to: unknown) {
  return messageOf({ ...handover, to }).metadata.payload;
}

function messageOf(packet: object) {
  const decoded = stored(packet);
  if (decoded.outcome === 'skip') throw new Error('skipped');
  return decoded.message;
}

test('a handover is stored as a message of the system, under its id, and live clients wait for the history', () => {
  const { type, id, message, ...report } = handover;
  const seq = { q: 'k3x9qa-_', n: 7 };
  expect(messageOf({ ...handover, seq, more: 1 })).toMatchObject({
    id,
    kind: type,
    role: 'system',
    status: null,
    content: message,
    metadata: { source: type, rawId: id, participant: echo, payload: report, seq },
  });
  expect(messageOf({ ...handover, more: 1 }).metadata.payload).toEqual(report);
  expect(decide(packetOf(handover, echo))).toEqual(skipped);
});

test('a handover to an agent has its template and its name, bounded', () => {
  const to = { agentTemplateId: 'a', name: 'Sales' };
  expect(payloadTo({ ...to, more: 1 })).toMatchObject({ to });
  expect(payloadTo({ ...to, name: 'é'.repeat(300) })).toMatchObject({
    to: { name: 'é'.repeat(128) },
  });
  for (const value of [{ name: 'Sales' }, 'Sales', { ...to, name: 1 }]) {
    expect(payloadTo(value)).not.toHaveProperty('to');
  }
});

test.for<[string, object, (typeof ada | null)?]>([
  ['of a person', {}, ada],
  ['of nobody', {}, null],
  ['with an unknown state', { state: 'taking' }],
  ['with a list of states', { state: ['done'] }],
  ['of another type', { type: 'handing' }],
])('a handover %s is skipped', ([, fields, sender]) => {
  expect(stored({ ...handover, ...fields }, sender)).toEqual(skipped);
});

test('a sentence of its own stands for a missing one, and a huge reason is cut', () => {
  const { content, metadata } = messageOf({ ...handover, message: '', reason: 'é'.repeat(30_000) });
  expect(content).toBe('Handover: requested');
  expect(metadata.payload).toMatchObject({ reason: 'é'.repeat(400) });
});

test('it changes nothing of the state of a session', () => {
  const { content, metadata } = messageOf(handover);
  const message = { content, metadata, timestamp: '2026-05-01T09:00:01.000Z' };
  expect(foldState([message])).toMatchObject({ plans: [], agents: [] });
});

function read(packet: object, part: object) {
  return handoverRefusalIn({ ...packetOf(packet, null), ...part });
}

test('a refusal is believed only if it is whole, and signed by the API', () => {
  const refusal = { type: 'handover_refused', handover: 'a', code: 'not_found', detail: 'Gone.' };
  expect(read({ ...refusal, signature: 'x' }, { isSigned: true })).toEqual(refusal);
  expect(read(refusal, {})).toBeUndefined();
  for (const name of ['type', 'handover', 'code', 'detail']) {
    expect(read({ ...refusal, [name]: 7 }, { isSigned: true })).toBeUndefined();
  }
});
