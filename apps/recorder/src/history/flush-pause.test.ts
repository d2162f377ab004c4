import { expect, test } from 'vitest';
import { pauseAfterFlush } from './flush-pause.ts';

test.each([
  [1, 5],
  [2, 8],
  [10, 40],
  [13, 50],
  [500, 50],
])('after a flush of %i messages, messages wait for others for %i ms at most', (size, pauseMs) => {
  expect(pauseAfterFlush(size, 50)).toBe(pauseMs);
});

test('no pause is longer than the limit', () => {
  expect(pauseAfterFlush(1, 1)).toBe(1);
});
