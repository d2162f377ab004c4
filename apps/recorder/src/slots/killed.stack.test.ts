import { once } from 'node:events';
import { listCoverage } from '@session/db';
import { hasCode } from '@session/kit';
import { openRoomService } from '@session/media';
import { expect, test } from 'vitest';
import {
  type RecorderProcess,
  startRecorderProcess,
  tempFolder,
} from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { TIMING } from '../timing.ts';

/** Kills the process once it has reported a flush after this call. Returns the times of the call and of the death. */
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
  const spans = await listCoverage(stage.database, [sessionId]);
  const gaps = spans.filter(({ what }) => what === 'gap');
  expect(gaps.map(({ reason }) => reason)).toEqual(['recorder_died', 'recorder_died']);
  for (const [index, { from, to }] of gaps.entries()) {
    const death = deaths[index];
    expect(Date.parse(from)).toBeGreaterThanOrEqual(death?.flushed ?? Number.NaN);
    expect(Date.parse(from)).toBeLessThanOrEqual(death?.dead ?? Number.NaN);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(returns[2 * index] ?? Number.NaN);
    expect(Date.parse(to)).toBeLessThanOrEqual(returns[2 * index + 1] ?? Number.NaN);
  }
  // The gaps that the history reports are the same.
  await until(async () => (await stage.gaps(sessionId)).reported.length === 2);
  expect((await stage.gaps(sessionId)).reported).toEqual((await stage.gaps(sessionId)).left);
  // So the bounds of a gap are accurate to half of the promised second.
  expect(TIMING.heartbeatMs).toBeLessThanOrEqual(500);
});

test('killed with 300 idle sessions: the session with participants is among the first eight to be recorded again', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const { sql } = stage.database;
  const busy = await stage.createSession();
  for (let count = 0; count < 300; count += 1) await stage.createSession({ isNotified: false });
  await stage.join(busy, 'Ana');
  await stage.join(busy, 'Ben');
  const env = stage.env(temp.folder);
  await using killed = await startRecorderProcess(env);
  await stage.untilRecording(busy);
  const rooms = openRoomService(stage.media);
  await until(async () => {
    // A busy media server may not answer in time.
    const found = await rooms.findRooms([busy]).catch((error: unknown) => {
      if (hasCode(error, 'media_unavailable')) return undefined;
      throw error;
    });
    return (found?.get(busy)?.participantCount ?? 0) >= 2;
  });
  await kill(stage, killed);
  // Now only its participants show that this session is busy.
  await sql`update session_heads set last_at = '2026-01-01T00:00:00Z' where session_id = ${busy}`;
  await sql`delete from recording_intervals`;
  await using again = await startRecorderProcess(env);
  const order = await until(async () => {
    const rows = await sql<{ id: string }[]>`
      select session_id as id from recording_intervals order by from_at, opened_at`;
    return (rows.length >= 24 || again.child.exitCode !== null) && rows.map(({ id }) => id);
  });
  expect(order.indexOf(busy)).toBeGreaterThanOrEqual(0);
  expect(order.indexOf(busy)).toBeLessThan(8);
});
