import { expect, test } from 'vitest';
import { Latencies, median, percentile } from './figures.ts';

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

test('percentiles of many times are right within 0.1 %, and a clock that went back counts as no time', () => {
  const latencies = new Latencies();
  expect([latencies.count, latencies.percentile(0.5)]).toEqual([0, Number.NaN]);
  latencies.add(...Array.from({ length: 1000 }, (_, index) => index + 1));
  const odd = new Latencies();
  odd.add(-5, Number.MAX_SAFE_INTEGER);
  for (const [found, right] of [
    [latencies.percentile(0.5), 500],
    [latencies.percentile(0.99), 990],
    [latencies.percentile(1), 1000],
    [odd.percentile(1), 3_600_000],
  ] as const) {
    expect(Math.abs(found - right)).toBeLessThanOrEqual(right / 1000);
  }
  expect(odd.percentile(0.5)).toBeLessThan(1);
});
