import { expect, test } from 'vitest';
import { inWords, stopwatchText } from './durations.ts';

test.for([
  [40, '0.1 s'],
  [999, '1 s'],
  [8000, '8 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [3_599_600, '1 h'],
  [3_840_000, '1 h 4 min'],
  [183_600_000, '2 d 3 h'],
] as const)('%i ms is "%s" in words', ([ms, text]) => {
  expect(inWords(ms)).toBe(text);
});

test.for([
  [-1, '0.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1:00'],
  [2_331_000, '38:51'],
  [7_509_000, '2:05:09'],
] as const)('%i ms stand as %s in a column', ([ms, text]) => {
  expect(stopwatchText(ms)).toBe(text);
});
