import { expect, test } from 'vitest';
import { Latencies } from './latencies.ts';

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
