import type { UnsureMark } from '@session/db';
import { expect, test } from 'vitest';
import { UnsureMarks } from './unsure-marks.ts';

const HOLD_BACK_MS = 1000;

test('a mark stays while the writer holds a message of the moment in which the words were passed on', async () => {
  const written: (string | null)[] = [];
  const updateUnsure = async (changes: readonly UnsureMark[]) => {
    written.push(...changes.map(({ unsureFrom }) => unsureFrom));
    return changes.map(({ intervalId }) => intervalId);
  };
  const marks = new UnsureMarks({ queries: { updateUnsure }, holdBackMs: HOLD_BACK_MS });
  const update = async (now: number, unstoredSince?: number, writerOldestAt?: number) => {
    const interval = { sessionId: 's', intervalId: 'i', from: 0, isWritten: true };
    const intervals = [{ ...interval, writerOldestAt, unstoredSince }];
    const pendingSince = { oldestAt: undefined, inLanes: new Map<string, number>() };
    await marks.update({ now, pendingSince, intervals });
  };
  const marked = new Date(1000).toISOString();
  await update(1999, 1000);
  expect(written).toEqual([]);
  await update(2000, 1000);
  expect(written).toEqual([marked]);
  await update(3000, undefined, 3000);
  await update(3500, undefined, 3000);
  expect(written).toEqual([marked]);
  await update(4000, undefined, 3001);
  expect(written).toEqual([marked, null]);
});

test('a message in a lane that came as the interval began holds back its session alone', async () => {
  const queries = { updateUnsure: async () => [] };
  const marks = new UnsureMarks({ queries, holdBackMs: HOLD_BACK_MS });
  const interval = { sessionId: 's', intervalId: 'i', from: 1000, isWritten: true };
  const intervals = [{ ...interval, writerOldestAt: undefined, unstoredSince: undefined }];
  const update = async (at: number) => {
    const pendingSince = { oldestAt: undefined, inLanes: new Map([['s', at]]) };
    return await marks.update({ now: 1500, pendingSince, intervals });
  };
  expect([await update(1000), await update(999)]).toEqual([1500, 999]);
});
