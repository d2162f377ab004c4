import { expect, test } from 'vitest';
import { OmittedChecks } from './omitted-checks.ts';

test('a calm session is checked once in three times, and each time while something changes', () => {
  const checks = new OmittedChecks();
  const omits = (isCalm: boolean) => checks.omitsNext(isCalm);
  expect([omits(false), omits(false)]).toEqual([false, false]);
  expect([omits(true), omits(true), omits(true), omits(true)]).toEqual([true, true, false, true]);
  checks.roomChanged();
  expect([omits(true), omits(true)]).toEqual([false, true]);
  expect([omits(false), omits(true)]).toEqual([false, true]);
});

test('a change before the first check, or while a check runs, makes the next one run', () => {
  const checks = new OmittedChecks();
  expect(checks.omitsNext(true)).toBe(false);
  checks.roomChanged();
  expect([checks.omitsNext(true), checks.omitsNext(true)]).toEqual([false, true]);
});
