import { expect, test } from 'vitest';
import { readRetryAfter } from './model-failure.ts';

const NOW = Date.parse('2026-11-24T08:00:00Z');

test.each([
  [undefined, undefined],
  ['0', 0],
  ['1.5', 1500],
  [' 20 ', 20_000],
  ['Tue, 24 Nov 2026 08:00:07 GMT', 7000],
  ['Tue, 24 Nov 2026 07:59:00 GMT', 0],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  ['1e9', undefined],
])('Retry-After %j is %j milliseconds', (header, expected) => {
  expect(readRetryAfter(header, NOW)).toBe(expected);
});
