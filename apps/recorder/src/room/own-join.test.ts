import { expect, test } from 'vitest';
import { receivesSince, serverLeadMs } from './own-join.ts';

test.each<[number | undefined, number | undefined, number | null]>([
  [undefined, undefined, null],
  [undefined, 5000, null],
  [7, undefined, 7],
  [7, 1000, 7],
  [7, 1001, 1008],
])(
  'joined at %j, with the first packet after %j ms, a connection receives since %j',
  (joinedAt, proofMs, since) => {
    expect(receivesSince(joinedAt, proofMs)).toBe(since);
  },
);

test.each([
  ['within that time', 100, 0],
  ['at its end', 120, 0],
  ['before', 60, -40],
  ['after', 130, 30],
  ['at an unknown time', undefined, 0],
  ['at no time', 0, 0],
])('a join from 100 to 120 that the server saw %s', (_, joinedAt, leadMs) => {
  expect(serverLeadMs(joinedAt, 100, 120)).toBe(leadMs);
});
