import { expect, test } from 'vitest';
import { Recent } from './recent.ts';

test('a value is read again once it is too old, by one read for all who ask at the same time', async () => {
  let [now, reads] = [0, 0];
  const recent = new Recent(
    async () => (reads += 1),
    5000,
    () => now,
  );
  expect(await Promise.all([recent.value(), recent.value()])).toEqual([1, 1]);
  now = 4999;
  expect(await recent.value()).toBe(1);
  now = 5000;
  expect(await recent.value()).toBe(2);
});

test('a failure is not kept: the next who asks reads again, and gets no old value', async () => {
  const results = [
    Promise.resolve('first'),
    Promise.reject(new Error('away')),
    Promise.resolve('next'),
  ];
  let now = 0;
  const recent = new Recent(
    async () => await results.shift(),
    5,
    () => (now += 10),
  );
  expect(await recent.value()).toBe('first');
  await expect(recent.value()).rejects.toThrow('away');
  expect(await recent.value()).toBe('next');
});
