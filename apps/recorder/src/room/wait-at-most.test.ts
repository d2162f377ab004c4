import { expect, test } from 'vitest';
import { waitAtMost } from './wait-at-most.ts';

test('work that ends is not waited for any longer than it takes', async () => {
  let isDone = false;
  const work = async () => {
    await Promise.resolve();
    isDone = true;
  };
  await waitAtMost(work(), 600_000);
  expect(isDone).toBe(true);
});

test('work that never ends is not waited for', async () => {
  await expect(waitAtMost(new Promise(() => {}), 1)).resolves.toBeUndefined();
});
