import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import type { LostMessages } from '../message-path.ts';
import { isLost } from './queued-message.ts';
import { greatestKey, type SizedMessage, shedOldest } from './shed.ts';

const MARK_BYTES = 1;

function lost(sessionId: string, receivedAt: number, until: number, count: number): LostMessages {
  return { kind: 'loss', sessionId, receivedAt, until, count };
}

const sizeOf = (mark: LostMessages): SizedMessage => ({ queued: mark, sizeBytes: MARK_BYTES });

function message(sessionId: string, receivedAt: number, sizeBytes: number): SizedMessage {
  return { queued: { ...textMessage(sessionId, ''), receivedAt }, sizeBytes };
}

function led(receivedAt: number, intervalId: string): SizedMessage {
  const queued = { ...textMessage('noisy', ''), receivedAt, intervalId };
  return { queued, sizeBytes: 10 };
}

/** Waiting lines: messages of three sessions, marks of earlier losses, and lines that cannot be read. */
const waiting = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        what: fc.constant('message'),
        session: fc.nat(2),
        size: fc.integer({ min: 1, max: 50 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constant('mark'),
        session: fc.nat(2),
        size: fc.integer({ min: 1, max: 9 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constant('unreadable'),
        session: fc.nat(2),
        size: fc.integer({ min: 1, max: 50 }),
      }),
    },
  ),
  { maxLength: 40 },
);

function sized(items: { what: string; session: number; size: number }[]): SizedMessage[] {
  return items.map(({ what, session, size }, index) => {
    if (what === 'unreadable') return { queued: undefined, sizeBytes: size };
    if (what === 'message') return message(`s${session}`, index, size);
    return sizeOf(lost(`s${session}`, index, index + 1, size));
  });
}

/** Returns how many messages of the session there are, including those that a mark stands for. */
function countOf(all: readonly SizedMessage[], sessionId: string): number {
  return all.reduce((sum, { queued }) => {
    if (queued?.sessionId !== sessionId) return sum;
    return sum + (isLost(queued) ? queued.count : 1);
  }, 0);
}

const isOther = ({ queued }: SizedMessage) => queued?.sessionId !== 's0';

test('whatever waits, only the oldest messages of one session go, and no message goes uncounted', () => {
  fc.assert(
    fc.property(waiting, fc.integer({ min: 1, max: 500 }), (items, bytes) => {
      const before = sized(items);
      const { kept, count, freedBytes } = shedOldest(before, { sessionId: 's0', bytes }, sizeOf);
      expect(kept.filter(isOther)).toEqual(before.filter(isOther));
      expect(countOf(kept, 's0')).toBe(countOf(before, 's0'));
      const own = before.filter((one) => !isOther(one) && one.queued && !isLost(one.queued));
      const dropped = own.slice(0, count);
      expect(freedBytes).toBe(dropped.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      const keptOwn = kept.filter((one) => !isOther(one) && one.queued && !isLost(one.queued));
      expect(keptOwn).toEqual(own.slice(count));
      // Enough is free, or nothing is left. No more messages were dropped than necessary.
      expect(freedBytes >= bytes || count === own.length).toBe(true);
      expect(freedBytes - (dropped.at(-1)?.sizeBytes ?? 0)).toBeLessThan(bytes);
    }),
  );
});

test('one mark stands where the first dropped message stood, and covers the time of all', () => {
  const before = [
    message('other', 1, 10),
    message('noisy', 5, 10),
    message('other', 2, 10),
    message('noisy', 3, 10),
    message('noisy', 9, 10),
  ];
  const { kept } = shedOldest(before, { sessionId: 'noisy', bytes: 20 }, sizeOf);
  expect(kept[1]?.queued).toEqual(lost('noisy', 3, 5, 2));
  expect(kept).toHaveLength(4);
});

test('an earlier mark becomes part of the new one, and counts no bytes as freed', () => {
  const before = [sizeOf(lost('noisy', 1, 4, 7)), message('noisy', 6, 10), message('noisy', 8, 10)];
  const { kept, count, freedBytes } = shedOldest(before, { sessionId: 'noisy', bytes: 5 }, sizeOf);
  expect(kept.map(({ queued }) => queued)).toMatchObject([
    lost('noisy', 1, 6, 8),
    { receivedAt: 8 },
  ]);
  expect([count, freedBytes]).toEqual([1, 10]);
});

test('the time of those messages that only the leader stores is known apart, also of an earlier mark', () => {
  const before = [
    message('noisy', 1, 10),
    led(3, 'a'),
    message('noisy', 5, 10),
    led(7, 'b'),
    led(9, 'b'),
  ];
  const first = shedOldest(before, { sessionId: 'noisy', bytes: 30 }, sizeOf);
  const lostFirst = {
    ...lost('noisy', 1, 5, 3),
    led: { receivedAt: 3, until: 3, intervalId: 'a' },
  };
  expect(first.kept[0]?.queued).toEqual(lostFirst);
  const second = shedOldest(first.kept, { sessionId: 'noisy', bytes: 10 }, sizeOf);
  const lostSecond = {
    ...lost('noisy', 1, 7, 4),
    led: { receivedAt: 3, until: 7, intervalId: 'b' },
  };
  expect(second.kept.map(({ queued }) => queued)).toMatchObject([lostSecond, { receivedAt: 9 }]);
});

test.each([
  ['no session', {}, undefined],
  ['one session', { a: 1 }, 'a'],
  ['several sessions', { a: 1, b: 3, c: 2 }, 'b'],
  ['two equal sessions', { a: 3, b: 3 }, 'a'],
])('the noisiest of %s is known', (_, sizes, expected) => {
  expect(greatestKey(new Map(Object.entries(sizes)))).toBe(expected);
});
