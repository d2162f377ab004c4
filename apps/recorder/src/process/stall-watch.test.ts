import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { until } from '../../testing/stage.ts';
import { createLog } from './log.ts';
import { RecorderClock } from './recorder-clock.ts';
import { StallWatch } from './stall-watch.ts';

const clock = new RecorderClock(createLog('silent'));

/** Keeps this process from any other work. */
function block(ms: number): void {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) Math.random();
}

test('a process that stood still reports from when to when, and each stall by itself', async () => {
  const stalls: { from: number; to: number }[] = [];
  await using _ = new StallWatch(clock, 200, (from, to) => stalls.push({ from, to }));
  const before = clock.now();
  block(300);
  const after = clock.now();
  await until(() => stalls.length > 0);
  const [first] = stalls;
  // The stall begins at the time when the clock was last read.
  expect(first?.from).toBeLessThanOrEqual(before);
  expect(first?.to).toBeGreaterThanOrEqual(after);
  const count = stalls.length;
  block(300);
  await until(() => stalls.length > count);
  for (const [index, { from }] of stalls.slice(1).entries()) {
    // Minus 1, because times are rounded to whole milliseconds.
    expect(from).toBeGreaterThanOrEqual((stalls[index]?.to ?? 0) - 1);
  }
});

test('a pause of the machine, which the clock alone notices, is reported', async () => {
  startVirtualTime();
  const pauses = [{ from: 1, to: 20_001, lengthMs: 20_000 }];
  const paused = { elapsed: () => 0, now: () => 0, takePauses: () => pauses.splice(0) };
  const stalls: number[][] = [];
  await using _ = new StallWatch(paused, 10_000, (...stall) => stalls.push(stall));
  await passTime(5000);
  expect(stalls).toEqual([[1, 20_001]]);
});

test('a watch that has ended reports nothing more', async () => {
  let stalls = 0;
  const watch = new StallWatch(clock, 20, () => {
    stalls += 1;
  });
  await watch[Symbol.asyncDispose]();
  const before = stalls;
  block(50);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stalls).toBe(before);
});
