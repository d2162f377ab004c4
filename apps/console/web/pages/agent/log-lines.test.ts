import type { AgentLogEvent } from '@session/client/admin';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { logText, markedParts, matchingRows, NO_LINES, withEvents } from './log-lines.ts';

const line = (number: number, text = `line ${number}`): AgentLogEvent => {
  return { type: 'line', number, timestamp: '2026-11-21T08:00:04.250Z', line: text };
};

test('a long log drops its oldest lines at once, says how many, and keeps the keys of the rest', () => {
  const lines = withEvents(
    NO_LINES,
    Array.from({ length: 50_000 }, (_, index) => line(index)),
  );
  expect(lines.dropped).toBe(0);
  const more = withEvents(lines, [line(50_000)]);
  expect(more).toMatchObject({ dropped: 10_001 });
  expect(more.rows).toHaveLength(40_000);
  expect(more.rows[0]).toMatchObject({ key: 10_001, number: 10_001 });
  expect(more.rows.at(-1)).toMatchObject({ key: 50_000, number: 50_000 });
});

test('a search finds lines in any case, and a gap is found by none', () => {
  const { rows } = withEvents(NO_LINES, [line(1, 'Joined'), { type: 'gap', lines: 3 }, line(2)]);
  expect(matchingRows(rows, ' JOIN ')).toEqual([expect.objectContaining({ line: 'Joined' })]);
  expect(matchingRows(rows, '  ')).toBe(rows);
  expect(matchingRows(rows, 'kept')).toEqual([]);
});

test('a missing part of the log is named in the file', () => {
  const { rows } = withEvents(NO_LINES, [line(7), { type: 'gap', lines: 1200 }]);
  expect(logText(rows)).toBe(
    '2026-11-21T08:00:04.250Z line 7\n— 1,200 lines are no longer kept —\n',
  );
});

test('marked parts are the line again, whatever the line and the search are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ maxLength: 3 }), (text, search) => {
      const parts = markedParts(text, search);
      expect(parts.map((part) => part.text).join('')).toBe(text);
    }),
  );
  expect(markedParts('a b A', 'a')).toEqual([
    { at: 0, text: 'a', isMatch: true },
    { at: 1, text: ' b ', isMatch: false },
    { at: 4, text: 'A', isMatch: true },
  ]);
});
