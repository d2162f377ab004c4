import { once } from 'node:events';
import { prepareRecordingIntervalQueries } from '@session/db';
import { expect, test } from 'vitest';
import {
  type RecorderProcess,
  startRecorderProcess,
  tempFolder,
} from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { TIMING } from '../timing.ts';

/** Kills the process when its heartbeat has reported a flush after now. Returns that moment, and when the process was dead. */
async function kill(
  stage: TestStage,
  { child }: RecorderProcess,
): Promise<{ flushed: number; dead: number }> {
  const flushed = Date.now();
  await until(async () => {
    const rows = await stage.database.sql`
      select 1 from recorders where flushed_at > ${new Date(flushed).toISOString()}`;
    return rows.length > 0;
  });
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  return { flushed, dead: Date.now() };
}

test('killed twice within seconds: two gaps, in the history too, each as long as no recorder covered the session', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  await using programs = new AsyncDisposableStack();
  const start = async () => {
    const started = programs.use(await startRecorderProcess(stage.env(temp.folder)));
    await stage.untilRecording(sessionId);
    return started;
  };
  const deaths: { flushed: number; dead: number }[] = [];
  const returns: number[] = [];
  let program = await start();
  while (deaths.length < 2) {
    deaths.push(await kill(stage, program));
    const began = Date.now();
    program = await start();
    returns.push(began, Date.now());
  }
  const spans = await prepareRecordingIntervalQueries(stage.database).listCoverage([sessionId]);
  const gaps = spans.filter(({ what }) => what === 'gap');
  expect(gaps.map(({ reason }) => reason)).toEqual(['recorder_died', 'recorder_died']);
  for (const [index, { from, to }] of gaps.entries()) {
    const death = deaths[index];
    expect(Date.parse(from)).toBeGreaterThanOrEqual(death?.flushed ?? Number.NaN);
    expect(Date.parse(from)).toBeLessThanOrEqual(death?.dead ?? Number.NaN);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(returns[2 * index] ?? Number.NaN);
    expect(Date.parse(to)).toBeLessThanOrEqual(returns[2 * index + 1] ?? Number.NaN);
  }
  // A reader finds the same gaps in the history.
  await until(async () => (await stage.gaps(sessionId)).reported.length === 2);
  expect((await stage.gaps(sessionId)).reported).toEqual((await stage.gaps(sessionId)).left);
  // So the bounds of a gap are accurate to half of the promised second.
  expect(TIMING.heartbeatMs).toBeLessThanOrEqual(500);
});
