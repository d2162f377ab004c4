import { isDeepStrictEqual } from 'node:util';
import { messageIdOf, type RecordingGap } from '@session/contract/room';
import { listCoverage, startRecorder } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, REAL_CLOCK, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { MACHINE_CLOCKS } from '../process/recorder-clock.ts';
import { GapReport } from './gap-report.ts';

test('a participant was in the room before any recorder: a gap from their join on, reported once by two recorders', async ({
  stage,
}) => {
  const sessionId = await stage.createSession();
  await stage.join(sessionId);
  const first = await stage.record();
  await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  await first.stop(AbortSignal.abort());
  await stage.record();
  const { reported, left } = await until(async () => {
    const gaps = await stage.gaps(sessionId);
    return gaps.reported.length > 1 && gaps;
  });
  expect(reported).toMatchObject([{ reason: 'not_started' }, { reason: 'recorder_stopped' }]);
  expect(reported).toEqual(left);
  const message = (await stage.history(sessionId)).find(({ kind }) => kind === 'recording_gap');
  expect(message).toMatchObject({
    id: messageIdOf(sessionId, 'recording_gap', message?.metadata.from ?? ''),
    role: 'system',
    status: null,
    content: expect.stringContaining(`from ${message?.metadata.from} to ${message?.metadata.to}`),
    metadata: { kind: 'recording_gap', participant: null, rawId: message?.metadata.from },
  });
});

test('a session that is closed while no recorder covers it: its last gap is reported, then its slot is deleted', async ({
  stage,
}) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  await recorder.stop(AbortSignal.abort());
  await stage.closeSession(sessionId);
  expect((await stage.gaps(sessionId)).reported).toEqual([]);
  await stage.record();
  await until(async () => (await stage.slot(sessionId)) === undefined);
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toMatchObject([{ reason: 'recorder_stopped' }]);
  expect(reported).toEqual(left);
});

test('a process that stood still has a gap of that time, although its connection lasted', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, stallMs: 1000 } });
  const sessionId = await stage.recordedSession();
  const began = Date.now();
  const start = performance.now();
  do Math.random();
  while (performance.now() < start + 1500);
  // On a busy machine, this process may have stood still at other times too.
  const gaps = await until(async () => {
    const { reported, left } = await stage.gaps(sessionId);
    const isWhole = left.some((one) => {
      const { from, to } = Object(one);
      // Compared by length, because a recorder's clock has whole milliseconds and may be up to one behind the time of
      // day.
      return Date.parse(from) <= began && Date.parse(to) - Date.parse(from) >= 1500;
    });
    return isWhole && isDeepStrictEqual(reported, left) && reported;
  });
  expect(new Set(gaps.map((one) => Object(one).reason))).toEqual(new Set(['stalled']));
  expect(await stage.slot(sessionId)).toMatchObject({ status: 'recording', attempts: 0 });
});

test('a recorder that was declared dead covers its sessions again from when it notices', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  await until(async () => (await stage.countIntervals(sessionId)) === 1);
  // The gap lies in the past, because the recorder may be storing right now that it still covers the session.
  await stage.database.sql`
    update recording_intervals set from_at = now() - interval '2 s', to_at = now() - interval '1 s', end_reason = 'recorder_died'`;
  await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  expect(await stage.countIntervals(sessionId)).toBe(2);
  const spans = await listCoverage(stage.database, [sessionId]);
  expect(spans.map(({ what }) => what)).toEqual(['coverage', 'gap', 'coverage']);
});

test('a recorder whose clock is ahead reports a gap that ends later than the database’s now', async ({
  stage,
}) => {
  await stage.record({
    clocks: { ...MACHINE_CLOCKS, wallMs: () => MACHINE_CLOCKS.wallMs() + 400 },
  });
  const sessionId = await stage.recordedSession();
  await until(async () => (await stage.countIntervals(sessionId)) === 1);
  await stage.database.sql`
    update recording_intervals set from_at = now() - interval '2 s', to_at = now() - interval '1 s', end_reason = 'recorder_died'`;
  await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toEqual(left);
});

test('a dead recorder’s gap is reported by any other, even if none takes its slot', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.createSession({ isNotified: false });
  await stage.untilRecording(sessionId);
  const dead = uuidv7();
  await startRecorder(stage.database, { id: dead, capacity: 9 });
  const { sql } = stage.database;
  // Only the dead recorder covered the session for a while, and then neither recorder did.
  await sql`
    with past as (update recording_intervals set from_at = now() - interval '1 s' where session_id = ${sessionId})
    insert into recording_intervals (session_id, id, recorder_id, from_at)
    values (${sessionId}, ${uuidv7()}, ${dead}, now() - interval '60 s')`;
  expect((await stage.gaps(sessionId)).reported).toEqual([]);
  await sql`
    update recorders set heartbeat_at = now() - interval '16 s', flushed_at = now() - interval '30 s' where id = ${dead}`;
  await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toMatchObject([{ reason: 'recorder_died' }]);
  expect(reported).toEqual(left);
});

test('a recorder that starts again reports the gap that its former process left in a session of another recorder', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.createSession({ isNotified: false });
  await stage.untilRecording(sessionId);
  const recorderId = uuidv7();
  await startRecorder(stage.database, { id: recorderId, capacity: 9 });
  const { sql } = stage.database;
  await sql`
    update recorders set heartbeat_at = now() + interval '1 min', flushed_at = now() - interval '30 s' where id = ${recorderId}`;
  await sql`
    with past as (update recording_intervals set from_at = now() - interval '1 s' where session_id = ${sessionId})
    insert into recording_intervals (session_id, id, recorder_id, from_at)
    values (${sessionId}, ${uuidv7()}, ${recorderId}, now() - interval '60 s')`;
  await stage.record({ recorderId });
  await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toMatchObject([{ reason: 'recorder_died' }]);
  expect(reported).toEqual(left);
});

function gap(sessionId: string, from: string): RecordingGap {
  return { sessionId, from, to: 'later', reason: 'stalled' };
}

/** Returns a report of the gaps that are in `gaps` at the moment. */
function openGapReport() {
  const gaps: RecordingGap[] = [];
  const asked: (readonly string[])[] = [];
  const stored: string[] = [];
  let isAway = false;
  let answered = Promise.resolve();
  const report = new GapReport({
    clock: REAL_CLOCK,
    queries: {
      async listGaps(sessionIds) {
        if (isAway) throw new Error('away');
        asked.push(sessionIds);
        const found = gaps.filter(({ sessionId }) => sessionIds.includes(sessionId));
        await answered;
        return found;
      },
    },
    writer: {
      push: ({ sessionId, metadata }) => stored.push(`${sessionId} from ${metadata.from}`),
    },
  });
  return {
    report,
    gaps,
    asked,
    stored,
    setAway: (value: boolean) => {
      isAway = value;
    },
    setAnswer: (value: Promise<void>) => {
      answered = value;
    },
  };
}

test('only sessions whose intervals changed are checked, and each gap is written once', async () => {
  const { report, gaps, asked, stored } = openGapReport();
  gaps.push(gap('a', '1'), gap('b', '1'));
  await report.write();
  report.add('a');
  report.add('a');
  await report.write();
  await report.write();
  gaps.push(gap('a', '2'));
  report.add('a');
  await report.write();
  expect(asked).toEqual([['a'], ['a']]);
  expect(stored).toEqual(['a from 1', 'a from 2']);
});

test('a database that is away loses no check', async () => {
  const { report, gaps, stored, setAway } = openGapReport();
  gaps.push(gap('a', '1'));
  report.add('a');
  setAway(true);
  await expect(report.write()).rejects.toThrow('away');
  setAway(false);
  await report.write();
  expect(stored).toEqual(['a from 1']);
});

test('a session whose intervals change during a check is checked again', async () => {
  const { report, gaps, asked, stored, setAnswer } = openGapReport();
  const answer = Promise.withResolvers<void>();
  setAnswer(answer.promise);
  report.add('a');
  const writing = report.write();
  gaps.push(gap('a', '1'));
  report.add('a');
  answer.resolve();
  await writing;
  await report.write();
  expect([asked, stored]).toEqual([[['a'], ['a']], ['a from 1']]);
});

test('the gaps of a session that was left may be written again: their id makes them one', async () => {
  const { report, gaps, stored } = openGapReport();
  gaps.push(gap('a', '1'), gap('b', '1'));
  for (const id of ['a', 'b']) report.add(id);
  await report.write();
  report.forget('a');
  for (const id of ['a', 'b']) report.add(id);
  await report.write();
  expect(stored).toEqual(['a from 1', 'b from 1', 'a from 1']);
});
