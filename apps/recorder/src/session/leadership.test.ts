import type { RoomMessage } from '@session/contract/room';
import type { MessageWithoutId } from '@session/db';
import { expect, test } from 'vitest';
import { UnnamedMessages } from './leadership.ts';

const T0 = Date.parse('2026-11-21T08:00:00.000Z');

function said(content: string, ms: number, identity: string | null = 'ana'): RoomMessage {
  const participant =
    identity === null ? null : { identity, name: '', sid: null, kind: 'standard' };
  return {
    id: content,
    sessionId: 'session',
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant, source: 'user_text', rawId: null },
    receivedAt: T0 + ms,
  };
}

function stored(content: string, ms: number, identity: string | null = 'ana'): MessageWithoutId {
  return { timestamp: new Date(T0 + ms).toISOString(), kind: 'text', content, identity };
}

function listen() {
  const got: string[] = [];
  const dropped: number[][] = [];
  const unnamed = new UnnamedMessages({
    store: ({ content, intervalId }) => got.push(`${content} in ${intervalId}`),
    dropped: (...span) => dropped.push(span),
  });
  return { unnamed, got, dropped };
}

test('standing by, nothing is stored; leading, first what the one before has not stored, in its order', async () => {
  const { unnamed, got } = listen();
  for (const [index, word] of ['one', 'yes', 'yes', 'four', 'five'].entries()) {
    unnamed.push(said(word, 100 * index));
  }
  expect(got).toEqual([]);
  let asked = '';
  const list = async (after: string) => {
    asked = after;
    return [stored('one', 3), stored('yes', 101), stored('four', 302, null)];
  };
  await unnamed.lead('a', list);
  unnamed.push(said('six', 600));
  expect(got).toEqual(['yes in a', 'five in a', 'six in a']);
  expect(Date.parse(asked)).toBeLessThanOrEqual(T0 - 5000);
  expect(unnamed.oldestAt).toBeUndefined();
});

test('what has been said before, or by another, stands for nothing', async () => {
  const { unnamed, got } = listen();
  unnamed.push(said('yes', 6000));
  unnamed.push(said('no', 6000, 'bob'));
  await unnamed.lead('a', async () => [stored('yes', 900), stored('no', 6000)]);
  expect(got).toEqual(['yes in a', 'no in a']);
});

test('one that came late to all that it hears first stores none of it again', async () => {
  const { unnamed, got } = listen();
  // Said every 200 ms from 0 on, and heard at once when it had come.
  for (let index = 0; index < 40; index += 1) unnamed.push(said(`word ${index}`, 7000 + index));
  const rows = Array.from({ length: 38 }, (_, index) => stored(`word ${index}`, 200 * index));
  let asked = '';
  await unnamed.lead('a', async (after) => {
    asked = after;
    return rows;
  });
  expect(got).toEqual(['word 38 in a', 'word 39 in a']);
  expect(Date.parse(asked)).toBeLessThan(T0);
});

test('who says the same again and again has said it as often, from where the first one ended', async () => {
  const { unnamed, got } = listen();
  const seconds = Array.from({ length: 20 }, (_, second) => second);
  for (const second of seconds.slice(8)) unnamed.push(said('ping', 1000 * second));
  // Of the first 8 the rows are there too, but nothing is kept any more.
  const rows = seconds.slice(4, 16).map((second) => stored('ping', 1000 * second + 200));
  await unnamed.lead('a', async () => rows);
  expect(got).toHaveLength(4);
});

test('what the first has surely stored is kept no longer, by two clocks, and if it learns late that it was deaf', () => {
  const { unnamed } = listen();
  for (const ms of [0, 4999, 5000, 24_999]) unnamed.push(said(`at ${ms}`, ms));
  unnamed.follow(T0 + 25_000);
  expect(unnamed.oldestAt).toBe(T0 + 5000);
  expect(unnamed.end()).toBe(T0 + 5000);
  expect(unnamed.oldestAt).toBeUndefined();
});

test('an interval that ends while it is looked up who stored what leads nowhere', async () => {
  const { unnamed, got } = listen();
  unnamed.push(said('one', 0));
  const answer = Promise.withResolvers<MessageWithoutId[]>();
  const leading = unnamed.lead('a', () => answer.promise);
  unnamed.standBy();
  answer.resolve([]);
  await leading;
  expect([got, unnamed.oldestAt]).toEqual([[], T0]);
});

test('of more than can be kept the oldest go, and it is told from when to when', () => {
  const { unnamed, dropped } = listen();
  for (let ms = 0; ms <= 10_000; ms += 1) unnamed.push(said('x', ms));
  expect(dropped).toEqual([[T0, T0 + 1000]]);
  expect(unnamed.oldestAt).toBe(T0 + 1000);
});
