import { expect, test } from 'vitest';
import { clockText } from './clock-text.ts';

test.for([
  [0, '0.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1:00'],
  [2_331_000, '38:51'],
  [7_509_000, '2:05:09'],
] as const)('%i ms stand as %s in a column', ([ms, text]) => {
  expect(clockText(ms)).toBe(text);
});
