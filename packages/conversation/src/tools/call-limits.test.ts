import { expect, test } from 'vitest';
import { CallLimits } from './call-limits.ts';

test('thirty calls in any minute, and the next one a minute after the first', () => {
  let now = 0;
  const limits = new CallLimits(() => now);
  for (; now < 30_000; now += 1000) expect(limits.take('find')).toBeUndefined();
  now = 59_999;
  expect(limits.take('find')).toContain('more than 30 calls in a minute');
  now = 60_000;
  expect(limits.take('find')).toBeUndefined();
});
