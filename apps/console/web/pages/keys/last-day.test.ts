import { expect, test } from 'vitest';
import { endOfDay, today } from './last-day.ts';

test('a key that ends today is valid until the day ends', () => {
  const now = new Date(2026, 10, 24, 23, 30);
  expect(today(now)).toBe('2026-11-24');
  expect(endOfDay(today(now))).toBe(new Date(2026, 10, 24, 23, 59, 59).toISOString());
});

test('a day begins at midnight of the user', () => {
  expect(today(new Date(2026, 0, 1, 0, 5))).toBe('2026-01-01');
});
