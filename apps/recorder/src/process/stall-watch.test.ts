import { expect, test } from 'vitest';
import { until } from '../../testing/test-stage.ts';
import { StallWatch } from './stall-watch.ts';

/** Keeps this process from any other work. */
function block(ms: number): void {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) Math.random();
}

test('a process that stood still reports from when to when, once', async () => {
  const stalls: { from: number; to: number }[] = [];
  await using _ = new StallWatch(200, (from, to) => stalls.push({ from, to }));
  const before = Date.now();
  block(300);
  const after = Date.now();
  await until(() => stalls.length > 0);
  const [stall] = stalls;
  // It begins where the clock was last read, at most a tenth of the shortest stall before.
  expect(stall?.from).toBeLessThanOrEqual(before);
  expect(stall?.to).toBeGreaterThanOrEqual(after);
  expect(stalls).toHaveLength(1);
});

test('a watch that has ended reports nothing more', async () => {
  let stalls = 0;
  const watch = new StallWatch(20, () => {
    stalls += 1;
  });
  await watch[Symbol.asyncDispose]();
  const before = stalls;
  block(50);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stalls).toBe(before);
});
