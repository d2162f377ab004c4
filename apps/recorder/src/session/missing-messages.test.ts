import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  messageWithoutRawId as kept,
  rowWithoutRawId as row,
  T0,
} from '../../testing/kept-messages.ts';
import { findMissing, KEPT_MS } from './missing-messages.ts';

const words = fc.constantFrom('yes', 'no', 'ping');
const sender = fc.constantFrom('ana', 'bob', null);
const said = fc.array(fc.record({ content: words, ms: fc.nat(60_000), identity: sender }), {
  maxLength: 20,
});
const inOrder = (all: readonly { content: string; ms: number; identity: string | null }[]) =>
  all.toSorted((left, right) => left.ms - right.ms);

test('without rows every message is missing, in order', () => {
  fc.assert(
    fc.property(said, (all) => {
      const messages = inOrder(all).map(({ content, ms, identity }) => kept(content, ms, identity));
      expect(findMissing(messages, [])).toEqual(messages);
    }),
  );
});

test('when every message has its own row, none is missing, however the rows are ordered', () => {
  fc.assert(
    fc.property(said, fc.boolean(), (all, isReversed) => {
      const sorted = inOrder(all);
      const messages = sorted.map(({ content, ms, identity }) => kept(content, ms, identity));
      const rows = sorted.map(({ content, ms, identity }) => row(content, ms, identity));
      // A message of an unknown sender matches every row with its words, so the pairs of nearest rows may cross. The
      // result is exact only for known senders.
      fc.pre(all.every(({ identity }) => identity !== null));
      expect(findMissing(messages, isReversed ? rows.toReversed() : rows)).toEqual([]);
    }),
  );
});

test('whatever is stored, a row stands for one message at most, and the rest keeps its order', () => {
  fc.assert(
    fc.property(said, said, (all, other) => {
      const messages = inOrder(all).map(({ content, ms, identity }) => kept(content, ms, identity));
      const rows = other.map(({ content, ms, identity }) => row(content, ms, identity));
      const missing = findMissing(messages, rows);
      expect(missing.length).toBeGreaterThanOrEqual(messages.length - rows.length);
      expect(messages.filter((message) => missing.includes(message))).toEqual(missing);
      const stored = new Set(rows.map(({ content }) => content));
      const unlike = messages.filter(({ content }) => !stored.has(content));
      expect(missing).toEqual(expect.arrayContaining(unlike));
    }),
  );
});

test.each([
  ['5 s before the message, as far as clocks and load go', -5000, 0],
  ['more than 5 s before it', -5001, 1],
  ['at the same time', 0, 0],
  ['a minute after it, because the leader was busy', 60_000, 0],
])('a row %s', (_, ms, missing) => {
  expect(findMissing([kept('yes', 0)], [row('yes', ms)])).toHaveLength(missing);
});

test.each([
  ['the same participant', 'ana', 'ana', 0],
  ['another participant', 'ana', 'bob', 1],
  ['a sender whom the leader did not find', 'ana', null, 0],
  ['a sender whom this recorder did not find', null, 'ana', 0],
])('a row of %s', (_, identity, storedIdentity, missing) => {
  const messages = [kept('yes', 0, identity)];
  expect(findMissing(messages, [row('yes', 0, storedIdentity)])).toHaveLength(missing);
});

test('a row of another kind stands for no text', () => {
  const transcript = { ...row('yes', 0), kind: 'transcript' };
  expect(findMissing([kept('yes', 0)], [transcript])).toHaveLength(1);
});

const SECONDS = 1000;
const KIND = 'recording_gap' as const;

function spanOf(from: number, to: number) {
  const [fromAt, toAt] = [T0 + from * SECONDS, T0 + to * SECONDS];
  return { from: new Date(fromAt).toISOString(), to: new Date(toAt).toISOString() };
}

function floodOf(from: number, to: number) {
  const message = kept('12 messages', to * SECONDS);
  return { ...message, kind: KIND, metadata: { ...message.metadata, ...spanOf(from, to) } };
}

function storedFlood(from: number, to: number, identity = 'ana') {
  return { ...row('14 messages', to * SECONDS, identity), kind: KIND, ...spanOf(from, to) };
}

test.each([
  ['is the same whatever each recorder counted', floodOf(4, 14), storedFlood(4, 14), 0],
  ['of another participant is another', floodOf(4, 14), storedFlood(4, 14, 'bob'), 1],
  ['may begin and end as far apart as clocks go', floodOf(4, 14), storedFlood(5, 13), 0],
  ['is another if its row ends before it', floodOf(14, 24), storedFlood(10, 20), 1],
  ['is another if its row begins after it', floodOf(4, 14), storedFlood(10, 20), 1],
])('a flood %s', (_, message, stored, missing) => {
  expect(findMissing([message], [stored])).toHaveLength(missing);
});

test('flood reports that overlap the stored ones out of phase are all missing', () => {
  const messages = [floodOf(4, 14), floodOf(14, 24)];
  expect(findMissing(messages, [storedFlood(0, 10), storedFlood(10, 20)])).toEqual(messages);
});

test('the nearest row is taken, so that a repetition keeps its own row', () => {
  const messages = [kept('yes', 0), kept('yes', 8000)];
  expect(findMissing(messages, [row('yes', 8100), row('yes', 50)])).toEqual([]);
});

test.each([
  [KEPT_MS, []],
  [KEPT_MS + 1, ['late']],
])(
  'a message received %d ms late is stored if a later one of its sender is',
  (lateMs, expected) => {
    const messages = [kept('late', 0), kept('later', 100)];
    const missing = findMissing(messages, [row('late', -lateMs), row('later', 100)]);
    expect(missing.map(({ content }) => content)).toEqual(expected);
  },
);

test('a later stored message of another sender says nothing about a late one', () => {
  const messages = [kept('late', 0), kept('later', 100, 'bob')];
  const missing = findMissing(messages, [row('late', -10_000), row('later', 100, 'bob')]);
  expect(missing.map(({ content }) => content)).toEqual(['late']);
});
