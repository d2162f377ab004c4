import { expect, test } from 'vitest';
import { checkHistory, type Evidence, sum } from './check-history.ts';

const received = [receivedAs('1', 1000), receivedAs('2', 2000), receivedAs('3', 30_000)];

const whole: Evidence = {
  sent: { Ann: ['word 1', 'word 2'], Bob: ['word 3'] },
  received,
  accepted: ['1'],
  stored: received,
  gaps: [],
  gapMessages: [],
};

function receivedAs(id: string, receivedAt: number) {
  return { id, content: `word ${id}`, sentAt: receivedAt - 10, receivedAt };
}

test('a whole history has no fault', () => {
  expect(checkHistory(whole)).toEqual({
    received: 3,
    stored: 3,
    inGaps: 0,
    gaps: 0,
    gapMs: 0,
    faults: [],
  });
});

test('a missing message is excused by a gap around it, to a second, and by nothing else', () => {
  const stored = received.slice(1);
  const faultsWith = (from: number, to: number) =>
    checkHistory({
      ...whole,
      accepted: [],
      stored,
      gaps: [{ from, to }],
      gapMessages: [{ from, to }],
    });
  expect(faultsWith(2000, 5000)).toMatchObject({ inGaps: 1, gapMs: 3000, faults: [] });
  expect(faultsWith(2001, 5000).faults).toEqual(['lost: word 1 (1970-01-01T00:00:01.000Z)']);
});

test('a message that was sent without an id is found by its content', () => {
  const withoutId = received.map((one) => ({ ...one, id: null }));
  expect(checkHistory({ ...whole, received: withoutId }).faults).toEqual([]);
  const stored = received.slice(1);
  expect(checkHistory({ ...whole, accepted: [], received: withoutId, stored }).faults).toHaveLength(
    1,
  );
});

test('a message that was received late may have been missed at any time since it was sent', () => {
  const [, ...stored] = received;
  const late = { ...receivedAs('1', 9000), sentAt: 3500 };
  const gap = { from: 2000, to: 2500 };
  const evidence = { ...whole, accepted: [], stored, gaps: [gap], gapMessages: [gap] };
  expect(checkHistory({ ...evidence, received: [late] }).faults).toEqual([]);
  expect(checkHistory({ ...evidence, received: [{ ...late, sentAt: 3501 }] }).faults).toHaveLength(
    1,
  );
});

test.each<[string, Partial<Evidence>, string]>([
  ['an accepted message is never excused', { accepted: ['9'] }, 'accepted and lost: 9'],
  [
    'the same content under two ids',
    { stored: [...received, { id: '4', content: 'word 2' }] },
    'stored twice: word 2',
  ],
  [
    'a message that nobody sent',
    { stored: [...received, { id: '4', content: 'boo' }] },
    'never sent: boo',
  ],
  ['another order', { stored: received.toReversed() }, 'out of order: word 2'],
  [
    'a gap without a message in the history',
    { gaps: [{ from: 0, to: 1 }] },
    'gap without a message: 1970-01-01T00:00:00.000Z',
  ],
])('%s is a fault', (_, change, fault) => {
  expect(checkHistory({ ...whole, ...change }).faults).toContain(fault);
});

test('of a long text the rest may be missing that was sent in a gap, and nothing before the gap', () => {
  const parts = [
    { text: 'one', sentAt: 1000 },
    { text: 'one two', sentAt: 9000 },
    { text: 'one two three', sentAt: 17_000 },
  ];
  const long = { id: '4', content: 'one two three', sentAt: 1000, receivedAt: 18_000, parts };
  const faultsWith = (content: string, from: number, to: number) => {
    const gaps = [{ from, to }];
    const stored = [...received, { id: '4', content, isPending: true }];
    const sent = { ...whole.sent, long: [long.content] };
    const evidence = { ...whole, sent, received: [...received, long], stored };
    return checkHistory({ ...evidence, gaps, gapMessages: gaps }).faults;
  };
  expect(faultsWith('one two three', 0, 1)).toEqual([]);
  expect(faultsWith('one two', 16_000, 20_000)).toEqual([]);
  expect(faultsWith('one', 2000, 7999)).toEqual(['lost: one two three (1970-01-01T00:00:18.000Z)']);
  expect(faultsWith('two', 0, 20_000)).toContain('never sent: two');
});

test('only messages of one channel must be in order', () => {
  const [first, second, third] = received;
  const stored = [first, third, second].flatMap((one) => one ?? []);
  expect(checkHistory({ ...whole, stored }).faults).toEqual([]);
});

test('checks of several sessions add up', () => {
  const broken = checkHistory({ ...whole, stored: [], accepted: [] });
  expect(sum([checkHistory(whole), broken])).toMatchObject({ received: 6, stored: 3 });
  expect(sum([checkHistory(whole), broken]).faults).toHaveLength(3);
});
