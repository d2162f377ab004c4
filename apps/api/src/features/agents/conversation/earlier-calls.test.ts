import { expect, test } from 'vitest';
import { earlierCalls } from './earlier-calls.ts';

const event = (second: number, report: unknown) => ({
  timestamp: `2026-11-24T08:00:0${second}.000Z`,
  report,
});
const book = { call: 'c1', tool: 'book', source: 'http', arguments: { day: '1' } };

test('of a call that has ended only the end counts, and one without an end stays started', () => {
  const events = [
    event(4, { ...book, call: 'c3', state: 'started' }),
    event(3, { ...book, call: 'c2', state: 'done', status: 200, result: '{}' }),
    event(2, { ...book, call: 'c2', state: 'started' }),
    event(1, null),
  ];
  expect(earlierCalls(events)).toEqual([
    {
      at: events[1]?.timestamp,
      tool: 'book',
      state: 'done',
      arguments: { day: '1' },
      result: '{}',
    },
    { at: events[0]?.timestamp, tool: 'book', state: 'started', arguments: { day: '1' } },
  ]);
});

test('the newest calls fit into 8 KiB', () => {
  const events = Array.from({ length: 9 }, (_, index) =>
    event(9 - index, { call: `c${index}`, tool: 'book', state: 'done', result: 'x'.repeat(2000) }),
  );
  const found = earlierCalls(events);
  expect(found).toHaveLength(3);
  expect(found.at(-1)?.at).toBe(events[0]?.timestamp);
});
