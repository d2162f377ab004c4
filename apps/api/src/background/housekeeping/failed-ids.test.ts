import { expect, test } from 'vitest';
import { FailedIds } from './failed-ids.ts';

const LOCKED = Object.assign(new Error('locked'), { code: '55P03' });
const REFUSED = Object.assign(new Error('refused'), { code: 'P0001' });

test('what fails is left out for a minute', () => {
  let now = 0;
  const failed = new FailedIds(() => now);
  failed.add('first', REFUSED);
  now = 59_999;
  expect(failed.list()).toEqual(['first']);
  now = 60_000;
  expect(failed.list()).toEqual([]);
});

test('what was locked is left out only when it is locked again at the next time', () => {
  let now = 0;
  const failed = new FailedIds(() => now);
  failed.add('first', LOCKED);
  expect(failed.list()).toEqual([]);
  failed.succeeded('first');
  failed.add('first', LOCKED);
  expect(failed.list()).toEqual([]);
  failed.add('first', LOCKED);
  expect(failed.list()).toEqual(['first']);
  now = 60_000;
  expect(failed.list()).toEqual([]);
  failed.add('first', LOCKED);
  expect(failed.list()).toEqual([]);
});

test('what failed for another passing reason is left out only when it fails again', () => {
  const failed = new FailedIds(() => 0);
  failed.add('first', REFUSED, true);
  expect(failed.list()).toEqual([]);
  failed.add('first', REFUSED, true);
  expect(failed.list()).toEqual(['first']);
});
