import { expect, test } from 'vitest';
import { checkClock, compareClocks } from './clock.ts';

const now = Date.parse('2026-11-21T08:00:00Z');

test('a clock that starts in 1970 stops the start', () => {
  expect(() => checkClock(5000)).toThrow('clock says 1970-01-01T00:00:05.000Z');
  expect(() => checkClock(now)).not.toThrow();
});

test('clocks may differ by a minute, not by two', () => {
  expect(() => compareClocks(now, now - 60_000, 'MEDIA_URL')).not.toThrow();
  expect(() => compareClocks(now, now + 120_000, 'MEDIA_URL')).toThrow('that of MEDIA_URL');
});
