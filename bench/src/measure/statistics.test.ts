import { expect, test } from 'vitest';
import { median, percentile } from './statistics.ts';

test('the median is the middle value, or lies between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, Number.NaN]);
});

test('a percentile is one of the values, and never less than the wanted part', () => {
  const values = Array.from({ length: 101 }, (_, index) => 100 - index);
  expect([percentile(values, 0), percentile(values, 0.99), percentile(values, 1)]).toEqual([
    0, 99, 100,
  ]);
  expect(percentile([1, 2], 0.5)).toBe(2);
});
