import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { MemoryWatch } from './memory-watch.ts';

beforeEach(() => startVirtualTime());

/** Watches a process whose memory has the next of `sizes` at each check, and keeps the last one. */
function openWatch(maxBytes: number, sizes: readonly number[]) {
  let checks = 0;
  const rss = () => {
    checks += 1;
    return sizes[Math.min(checks, sizes.length) - 1] ?? 0;
  };
  return { watch: new MemoryWatch(maxBytes, rss), countChecks: () => checks };
}

test('a process at its limit goes on, and one byte more is reported with the size', async () => {
  const { watch, countChecks } = openWatch(100, [50, 100, 100, 101]);
  await using _ = watch;
  // Checked every two seconds.
  await passTime(7999);
  expect([watch.exceeded.aborted, countChecks()]).toEqual([false, 3]);
  await passTime(1);
  expect([watch.exceeded.reason, countChecks()]).toEqual([101, 4]);
});

test('after the report nothing is checked any more', async () => {
  const { watch, countChecks } = openWatch(1, [2]);
  await passTime(60_000);
  await watch[Symbol.asyncDispose]();
  expect(countChecks()).toBe(1);
});

test('a watch that has ended reports nothing', async () => {
  const { watch, countChecks } = openWatch(100, [50]);
  await passTime(4000);
  await watch[Symbol.asyncDispose]();
  await passTime(60_000);
  expect([watch.exceeded.aborted, countChecks()]).toEqual([false, 2]);
});
