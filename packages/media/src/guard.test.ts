import { expect, test } from 'vitest';
import { guard } from './guard.ts';

test.each<[string, () => Promise<void> | void]>([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'throws later',
    async () => {
      await Promise.resolve();
      throw new Error('broken');
    },
  ],
])('a handler that %s reports one error, and throws nothing itself', async (_, handler) => {
  const errors: unknown[] = [];
  const guarded = guard(handler, (error) => errors.push(error));
  expect(guarded()).toBeUndefined();
  await expect.poll(() => errors).toEqual([new Error('broken')]);
});

test('a value that is no error is reported as it is', async () => {
  const errors: unknown[] = [];
  guard(
    () => Promise.reject(undefined),
    (error) => errors.push(error),
  )();
  await expect.poll(() => errors).toEqual([undefined]);
});

test('a handler gets its arguments at once, before the caller goes on', () => {
  const calls: unknown[] = [];
  const guarded = guard(
    (...args: unknown[]) => void calls.push(args),
    () => {},
  );
  guarded('packet', { sender: null });
  guarded();
  expect(calls).toEqual([['packet', { sender: null }], []]);
});

test('the error of one call does not keep the next from being handled', async () => {
  const errors: unknown[] = [];
  const handled: number[] = [];
  const guarded = guard(
    (number: number) => {
      if (number === 1) throw new Error('first');
      handled.push(number);
    },
    (error) => errors.push(error),
  );
  for (const number of [1, 2, 3]) guarded(number);
  expect(handled).toEqual([2, 3]);
  await expect.poll(() => errors).toHaveLength(1);
});
