import { expect, test } from 'vitest';
import { amountSentence, gapReason, statusSentence } from './recording-sentences.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

test('what is recorded and what is not are said with their lengths', () => {
  const coverage = [
    { from: at(0), to: at(100) },
    { from: at(108), to: at(120) },
  ];
  const gap = { from: at(100), to: at(108), reason: 'recorder_died' };
  expect(amountSentence({ coverage, gaps: [gap] })).toBe(
    '1 min 52 s recorded, 1 gap of 8 s altogether.',
  );
  expect(amountSentence({ coverage, gaps: [] })).toBe('1 min 52 s recorded, without a gap.');
  expect(amountSentence({ coverage: [], gaps: [] })).toBe('Nothing is recorded yet.');
});

test('an unknown status or reason of a newer API is its name', () => {
  expect(statusSentence('rewinding')).toBe('The recording is: rewinding.');
  expect(gapReason('tape_full')).toBe('tape full');
  expect(gapReason('recorder_died')).toBe('the recorder died');
});
