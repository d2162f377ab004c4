import { expect, test } from 'vitest';
import { settledWithin } from './settled-within.ts';

test('work that ends is not waited for any longer than it takes', async () => {
  let isDone = false;
  const work = async () => {
    await Promise.resolve();
    isDone = true;
  };
  await settledWithin(work(), 600_000);
  expect(isDone).toBe(true);
});

test('work that never ends is not waited for', async () => {
  await expect(settledWithin(new Promise(() => {}), 1)).resolves.toBeUndefined();
});
