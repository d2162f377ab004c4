import { expect, test } from 'vitest';
import { turnBars } from './turn-bars.ts';

const turn = (messageId: string, figures: object) => ({
  messageId,
  timestamp: '2026-11-21T08:00:00.000Z',
  interrupted: false,
  truncated: false,
  figures,
});

test('the oldest turn stands first, each a part of the slowest one', () => {
  const turns = [
    turn('newest', { firstWordsMs: 500, durationMs: 1000 }),
    turn('oldest', { firstWordsMs: 1000, durationMs: 4000 }),
  ];
  expect(turnBars(turns)).toEqual([
    { key: 'oldest', firstWords: 0.25, duration: 1 },
    { key: 'newest', firstWords: 0.125, duration: 0.25 },
  ]);
});

test('a time that was not measured, or is zero, breaks no scale', () => {
  expect(turnBars([])).toEqual([]);
  expect(turnBars([turn('a', {}), turn('b', { durationMs: 0 })])).toEqual([
    { key: 'b', firstWords: null, duration: 0 },
    { key: 'a', firstWords: null, duration: null },
  ]);
});
