import { expect, test } from 'vitest';
import { TIMING } from '../timing.ts';
import { StoredProgress } from './stored-progress.ts';

test('a session in a lane holds everything back unless it has an open interval that is as old', async () => {
  const progress = new StoredProgress(
    { updateUnsure: async () => ['i'] },
    { ...TIMING, holdBackMs: 1 },
  );
  const waiting = new Map([['left', { since: 5, isAlone: true }]]);
  expect(await progress.update({ now: 90_000, waiting, intervals: [] })).toBe(5);
  const update = async (from: number) => {
    const interval = { sessionId: 'left', intervalId: 'i', from, isWritten: true };
    const intervals = [{ ...interval, undecidedSince: Infinity }];
    return await progress.update({ now: 90_000, waiting, intervals });
  };
  // The lane's message belongs to an earlier interval, or arrived as the interval began.
  expect([await update(6), await update(5)]).toEqual([5, 90_000]);
});

test('the words of an interval that the database does not know yet hold everything back', async () => {
  const queries = { updateUnsure: () => Promise.reject(new Error('must not be called')) };
  const progress = new StoredProgress(queries, TIMING);
  const of = { sessionId: 's', intervalId: 'i', from: 0, isWritten: false };
  const intervals = [{ ...of, undecidedSince: 5 }];
  expect(await progress.update({ now: 90_000, waiting: new Map(), intervals })).toBe(5);
});

test.each([
  ['an open interval: what arrived meanwhile is not read yet', 1, 10_500],
  ['no interval: there is nothing to read', 0, 16_000],
])('a heartbeat after a standstill, with %s', async (_, count, late) => {
  const queries = { updateUnsure: () => Promise.reject(new Error('must not be called')) };
  const progress = new StoredProgress(queries, { heartbeatMs: 500, holdBackMs: 1000 });
  const interval = { sessionId: 's', intervalId: 'i', from: 0, isWritten: true };
  const intervals = [{ ...interval, undecidedSince: Infinity }].slice(0, count);
  const reported: number[] = [];
  for (const now of [10_000, 10_500, 16_000, 16_500]) {
    reported.push(await progress.update({ now, waiting: new Map(), intervals }));
  }
  expect(reported).toEqual([10_000, 10_500, late, 16_500]);
});
