import { expect, test } from 'vitest';
import { findingsOf } from './drift.ts';

test('what is fine is a sentence without advice, what is not says what to do', () => {
  const [fine, wrong, many] = findingsOf({
    unrecordedActiveSessions: 0,
    staleRecorders: 1,
    underRecordedSessions: 1200,
  });
  expect(fine).toMatchObject({ isFine: true, sentence: 'Every active session is recorded.' });
  expect(fine?.advice).toBeNull();
  expect(wrong).toMatchObject({ isFine: false, sentence: '1 recorder does not report any more.' });
  expect(wrong?.advice).toBeTruthy();
  expect(many?.sentence).toBe('1,200 sessions have fewer recorders than they should have.');
});

test('a figure of a newer API has its name', () => {
  expect(findingsOf({ lostMoons: 0, foundMoons: 2 })).toEqual([
    { key: 'lostMoons', isFine: true, sentence: 'lostMoons: 0', advice: null },
    expect.objectContaining({ isFine: false, sentence: 'foundMoons: 2' }),
  ]);
});
