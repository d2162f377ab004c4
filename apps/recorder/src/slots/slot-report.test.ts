import { endInterval, insertGapStart, insertInterval } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../testing/stage-test.ts';
import { queriesOn } from '../queries.ts';
import type { RecordingState } from '../session/recording-report.ts';
import { KnownEnds } from './known-ends.ts';
import { SlotReport } from './slot-report.ts';

test.for(['before', 'after'])(
  'a time without a recorder never counts as covered, although the database goes away %s the first write',
  async (moment, { stage }) => {
    const sessionId = await stage.createSession();
    const recorderId = uuidv7();
    let hasFailed = false;
    /** Does `work`, and fails once: before or after the first call. */
    const fallible = async (work: () => Promise<void>) => {
      if (hasFailed || moment === 'after') await work();
      if (hasFailed) return;
      hasFailed = true;
      throw new Error('away');
    };
    const report = new SlotReport(
      {
        ...queriesOn(stage.database),
        insertGapStart: (start) => fallible(() => insertGapStart(stage.database, start)),
        insertInterval: (interval) => fallible(() => insertInterval(stage.database, interval)),
        endInterval: (end) => fallible(() => endInterval(stage.database, end)),
      },
      { sessionId, slotNumber: 0, recorderId, epoch: 1 },
      new KnownEnds(),
    );
    report.insertGapStart(Date.now() - 60_000, Date.now());
    await expect(report.write()).rejects.toThrow('away');
    await report.write();
    const rows = await stage.database.sql`
      select to_at = from_at as "isEmpty" from recording_intervals where session_id = ${sessionId}`;
    expect(rows).toEqual([{ isEmpty: true }]);
  },
);

const at = (time: string) => Date.parse(time);

/** Returns a report to a database in memory. A test can make the database unavailable, or make it refuse something. */
function openReport(ends = new KnownEnds()) {
  const written: string[] = [];
  let isAway = false;
  let refused = '';
  const write = async (words: string) => {
    if (isAway) throw new Error('away');
    if (words === refused) throw Object.assign(new Error('refused'), { code: '23514' });
    written.push(words);
  };
  const report = new SlotReport(
    {
      async updateSlot({ epoch }, { status, attempts }) {
        await write(`epoch ${epoch} is ${status} after ${attempts}`);
        return true;
      },
      insertInterval: ({ fromAt }) => write(`begin ${at(fromAt)}`),
      endInterval: ({ toAt, endReason }) => write(`end ${at(toAt)} ${endReason}`),
      cutIntervals: ({ recorderId, from, to, endReason }) =>
        write(`cut ${recorderId ?? 'all'} ${at(from)} ${at(to)} ${endReason}`),
      insertGapStart: ({ at: from, before }) => write(`mark ${at(from)} ${at(before)}`),
    },
    { sessionId: 'session', slotNumber: 0, recorderId: 'recorder', epoch: 1 },
    ends,
  );
  return {
    report,
    written,
    setAway: (value: boolean) => {
      isAway = value;
    },
    refuse: (words: string) => {
      refused = words;
    },
  };
}

const STATE: RecordingState = {
  status: 'recording',
  connectedAt: null,
  attempts: 1,
  failure: null,
};

test('everything is written once, in order, the state last; a second write has nothing to do', async () => {
  const { report, written } = openReport();
  report.setState({ ...STATE, attempts: 9 });
  report.setState(STATE);
  report.insertGapStart(5, 10);
  report.beginInterval(10);
  report.cutInterval(12, 14, 'stalled');
  report.endInterval(20, 'connection_lost');
  report.cutAllIntervals(20, 21, 'recorder_stopped');
  expect(await report.write()).toBe(true);
  expect(written).toEqual([
    'mark 5 10',
    'begin 10',
    'cut recorder 12 14 stalled',
    'end 20 connection_lost',
    'cut all 20 21 recorder_stopped',
    'epoch 1 is recording after 1',
  ]);
  expect(await report.write()).toBe(false);
  expect(written).toHaveLength(6);
});

test('a state alone changes no interval', async () => {
  const { report } = openReport();
  report.setState(STATE);
  expect(await report.write()).toBe(false);
});

test('the open interval is known at once, and as written only when the database has it', async () => {
  const { report, setAway } = openReport();
  expect([report.intervalId, report.coveredSince, report.isIntervalWritten]).toEqual([
    undefined,
    undefined,
    false,
  ]);
  report.beginInterval(10);
  expect(report.coveredSince).toBe(10);
  setAway(true);
  await expect(report.write()).rejects.toThrow('away');
  expect(report.isIntervalWritten).toBe(false);
  setAway(false);
  await report.write();
  expect(report.isIntervalWritten).toBe(true);
  report.endInterval(20, 'session_closed');
  expect([report.intervalId, report.isIntervalWritten]).toEqual([undefined, false]);
});

test('a cut moves the beginning of the open interval, but never back', () => {
  const { report } = openReport();
  report.beginInterval(10);
  report.cutInterval(5, 8, 'storage_full');
  expect(report.coveredSince).toBe(10);
  report.cutInterval(12, 15, 'stalled');
  expect(report.coveredSince).toBe(15);
});

test('without an open interval there is nothing to end', async () => {
  const { report, written } = openReport();
  report.endInterval(20, 'session_closed');
  expect([await report.write(), written]).toEqual([false, []]);
});

test('an interval that the database has as open again ends where it ended, and an unknown one where it begins', async () => {
  const { report, written } = openReport();
  report.beginInterval(10);
  const id = report.intervalId ?? '';
  report.endInterval(20, 'stalled');
  report.beginInterval(30);
  await report.write();
  report.endAgain(id);
  report.endAgain('unknown');
  expect(report.isIntervalWritten).toBe(false);
  expect(await report.write()).toBe(true);
  expect(written.slice(-2)).toEqual(['end 20 stalled', 'end 0 connection_lost']);
  expect(report.isIntervalWritten).toBe(true);
});

test('a later report on the same session knows where the intervals of an earlier one ended', async () => {
  const ends = new KnownEnds();
  const earlier = openReport(ends).report;
  earlier.beginInterval(10);
  const first = earlier.intervalId ?? '';
  // Others have ended the first interval.
  earlier.beginInterval(15);
  const second = earlier.intervalId ?? '';
  earlier.endInterval(20, 'stalled');
  const { report, written } = openReport(ends);
  report.endAgain(first);
  report.endAgain(second);
  await report.write();
  expect(written).toEqual(['end 15 connection_lost', 'end 20 stalled']);
});

test('what the database never takes is reported, and holds up nothing that comes after it', async () => {
  const { report, written, refuse } = openReport();
  report.beginInterval(10);
  report.endInterval(20, 'stalled');
  report.beginInterval(30);
  report.setState(STATE);
  refuse('end 20 stalled');
  await expect(report.write()).rejects.toThrow('refused');
  expect(report.hasUnwritten).toBe(false);
  expect(report.unwrittenEnds).toMatchObject([{ to: 20 }]);
  expect(await report.write()).toBe(true);
  expect(written).toEqual(['begin 10', 'begin 30', 'epoch 1 is recording after 1']);
});

test('changed intervals are reported after a failure, although they were written before it', async () => {
  const { report, written, setAway } = openReport();
  report.beginInterval(10);
  expect(await report.write()).toBe(true);
  report.endInterval(20, 'stalled');
  setAway(true);
  await expect(report.write()).rejects.toThrow('away');
  setAway(false);
  expect(await report.write()).toBe(true);
  expect(written).toEqual(['begin 10', 'end 20 stalled']);
});

test('under a new epoch the state is written with it', async () => {
  const { report, written } = openReport();
  report.renew(2);
  report.setState(STATE);
  await report.write();
  expect(written).toEqual(['epoch 2 is recording after 1']);
});

test('ends and cuts that the database does not have are known until it has them', async () => {
  const { report } = openReport();
  report.beginInterval(10);
  report.cutInterval(20, 30, 'stalled');
  report.endInterval(40, 'recorder_stopped');
  expect(report.unwrittenEnds).toMatchObject([
    { beganAt: 10, to: 40, endReason: 'recorder_stopped' },
  ]);
  expect(report.uncutSince).toBe(20);
  await report.write();
  expect([report.unwrittenEnds, report.uncutSince]).toEqual([[], Infinity]);
});
