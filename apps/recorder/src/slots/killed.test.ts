import { once } from 'node:events';
import { prepareRecordingIntervalQueries } from '@session/db';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/test-stage.ts';
import { type Program, startProgram, tempFolder } from '../../testing/recorder-process.ts';
import { TIMING } from '../timing.ts';

/** Kills the program when it has told the database of a later moment than this one; gives both, and when it was dead. */
async function kill(stage: TestStage, { child }: Program): Promise<{ told: number; dead: number }> {
  const told = Date.now();
  await until(async () => {
    const rows = await stage.database.sql`
      select 1 from recorders where flushed_at > ${new Date(told).toISOString()}`;
    return rows.length > 0;
  });
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  return { told, dead: Date.now() };
}

test('killed twice within seconds: two gaps, in the history too, each as long as nobody listened', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  await using programs = new AsyncDisposableStack();
  const start = async () => {
    const program = programs.use(await startProgram(stage.env(temp.folder)));
    await stage.untilRecording(sessionId);
    return program;
  };
  const deaths: { told: number; dead: number }[] = [];
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
    expect(Date.parse(from)).toBeGreaterThanOrEqual(death?.told ?? Number.NaN);
    expect(Date.parse(from)).toBeLessThanOrEqual(death?.dead ?? Number.NaN);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(returns[2 * index] ?? Number.NaN);
    expect(Date.parse(to)).toBeLessThanOrEqual(returns[2 * index + 1] ?? Number.NaN);
  }
  // And so says the history, where a reader finds them.
  await until(async () => (await stage.gaps(sessionId)).told.length === 2);
  expect((await stage.gaps(sessionId)).told).toEqual((await stage.gaps(sessionId)).left);
  // How true that makes a gap: to half of the second that is promised.
  expect(TIMING.heartbeatMs).toBeLessThanOrEqual(500);
});
