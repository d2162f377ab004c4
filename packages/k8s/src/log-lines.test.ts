import { expect, test } from 'vitest';
import { LogLines, sinceTime } from './log-lines.ts';

const SECOND = Date.parse('2026-11-21T10:00:00Z') * 1000;

test('a line’s time is exact to the microsecond, with or without trailing zeros', () => {
  const stamps = ['00:00.1', '00:00.12', '00:00.123456789', '00:01'];
  const times = read(stamps.map((stamp) => `2026-11-21T10:${stamp}Z x`).join('\n')).map(
    ({ at }) => at - SECOND,
  );
  expect(times).toEqual([100_000, 120_000, 123_456, 1_000_000]);
});

test('lines of the same moment get different times, and the same times at each reading', () => {
  const text = ['a', 'b', 'c'].map((word) => `2026-11-21T10:00:00.5Z ${word}`).join('\n');
  expect(read(text)).toEqual([
    { at: SECOND + 500_000, line: 'a' },
    { at: SECOND + 500_001, line: 'b' },
    { at: SECOND + 500_002, line: 'c' },
  ]);
  expect(read(text)).toEqual(read(text));
});

test('a line that looks like a time, is empty or is too long keeps its text', () => {
  const long = 'x'.repeat(40_000);
  const texts = ['2026-11-21T10:00:00Z', '', ' indented', long];
  const lines = read(texts.map((text) => `2026-11-21T10:00:00.5Z ${text}`).join('\n'));
  expect(lines.slice(0, 3).map(({ line }) => line)).toEqual(texts.slice(0, 3));
  const pieces = lines.slice(3).map(({ line }) => line);
  expect(pieces.join('')).toBe(long);
  expect(pieces.length).toBeGreaterThan(1);
});

test('a reading starts with the first line of the second', () => {
  expect(sinceTime(SECOND + 999_999)).toBe('2026-11-21T10:00:00.000Z');
});

function read(text: string) {
  const lines = new LogLines();
  return [...lines.push(Buffer.from(text)), ...lines.end()];
}
