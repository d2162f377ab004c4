import { expect, test } from 'vitest';
import {
  ada,
  chatOf,
  decide,
  echo,
  joinOf,
  madeId,
  messageOf,
  recorder,
  sessionId,
} from '../../testing/room-events.ts';
import { messageIdOf } from './message-id.ts';

test('an empty chat message is skipped; without an id of its own it gets a new one', () => {
  expect(decide(chatOf({ text: '' }))).toEqual({ outcome: 'skip', reason: 'empty' });
  for (const id of ['', 'x'.repeat(257)]) {
    expect(messageOf(chatOf({ id }))).toMatchObject({ id: madeId, metadata: { rawId: null } });
  }
  expect(messageOf(chatOf()).id).toBe(messageIdOf(sessionId, 'text', 'c-1'));
});

test('a long chat message is cut, and marked as truncated', () => {
  const { content, metadata } = messageOf(chatOf({ text: 'é'.repeat(32_769) }));
  expect([content, metadata.truncated]).toEqual(['é'.repeat(32_768), true]);
  expect(messageOf(chatOf({ text: 'é'.repeat(32_768) })).metadata.truncated).toBeUndefined();
});

test.each([
  ['Ada', 'user-1', 'Ada joined'],
  ['', 'user-1', 'user-1 joined'],
  ['A\0', 'user-1', 'A\uFFFD joined'],
  ['', '', ' joined'],
])(
  'the join of a participant named "%s" with the identity "%s" reads "%s"',
  (name, identity, content) => {
    const participant = { ...ada, name, identity };
    expect(messageOf(joinOf({ participant })).content).toBe(content);
  },
);

test('two stays of one participant are two joins, a join and a leave two messages', () => {
  const join = messageOf(joinOf());
  const again = messageOf(joinOf({ participant: { ...ada, sid: 'PA_9' } }));
  const left = messageOf(joinOf({ type: 'participant_left' }));
  expect(new Set([join.id, again.id, left.id]).size).toBe(3);
  expect(messageOf(joinOf({ receivedAt: 7, joinedAt: 9, reason: 'x' })).id).toBe(join.id);
});

test.each<[string | null, object]>([
  [null, {}],
  ['CLIENT_INITIATED', { payload: { reason: 'CLIENT_INITIATED' } }],
  ['', { payload: { reason: '' } }],
  ['A\0', { payload: { reason: 'A\uFFFD' } }],
])('a leave for the reason %j carries %j', (reason, carried) => {
  const left = messageOf(joinOf({ type: 'participant_left', reason, joinedAt: null }));
  expect(left.metadata).toEqual({
    kind: 'participant_left',
    participant: ada,
    source: 'participant_left',
    rawId: 'PA_1',
    ...carried,
  });
});

test('an agent joins like a person, a recorder never', () => {
  expect(messageOf(joinOf({ participant: echo })).content).toBe('Echo joined');
  for (const type of ['participant_joined', 'participant_left'] as const) {
    expect(decide(joinOf({ type, participant: recorder }))).toEqual({
      outcome: 'skip',
      reason: 'recorder',
    });
  }
});
