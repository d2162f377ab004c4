import { expect, test } from 'vitest';
import { cursorText, gapText, tapeText } from './tape-texts.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
const gap = { from: at(40), to: at(48), reason: 'connection_lost' };
const span = { from: at(0), to: at(100) };

test('a gap says how long it is and why, also for a reason that is unknown to this console', () => {
  expect(gapText(gap)).toBe('Not recorded for 8 s: connection lost');
  expect(gapText({ ...gap, reason: 'sun_spots' })).toBe('Not recorded for 8 s: sun spots');
});

test('a tape has a sentence for each of its states', () => {
  const coverage = [{ from: at(1), to: at(40) }];
  expect(tapeText({ coverage: [], gaps: [] }, span)).toBe('Nothing is recorded yet.');
  expect(tapeText({ coverage, gaps: [] }, span)).toMatch(/^Recorded from .*, without a gap\.$/);
  expect(tapeText({ coverage, gaps: [gap] }, span)).toMatch(/; 1 gap, 8 s not recorded\.$/);
});

test('the cursor says whether the time that it points at is recorded', () => {
  const recording = { coverage: [{ from: at(10), to: at(40) }], gaps: [gap] };
  expect(cursorText(at(20), recording)).not.toContain('record');
  expect(cursorText(at(44), recording)).toMatch(/, not recorded: connection lost$/);
  expect(cursorText(at(2), recording)).toMatch(/, before the recording$/);
});
