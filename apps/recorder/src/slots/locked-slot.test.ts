import { openRoomService } from '@session/media';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';

test('while slots are locked, other sessions are claimed, recorded and closed; later the slots are written too', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record();
  const [closed, interrupted] = [await stage.recordedSession(), await stage.recordedSession()];
  const other = await stage.recordedSession();
  const { recorderId } = recorder.health();
  const rooms = openRoomService(stage.media);
  const connectedAt = async () =>
    await stage.database.sql`
      select connected_at from recording_assignments where session_id = ${interrupted}`;
  const before = await connectedAt();
  await stage.database.sql.begin(async (sql) => {
    await sql`
      select from recording_assignments where session_id in (${closed}, ${interrupted}) for update`;
    await stage.closeSession(closed);
    await rooms.removeParticipant(interrupted, `recorder-${recorderId}`);
    await until(async () => (await stage.countIntervals(interrupted)) === 2);
    await stage.recordedSession();
    await stage.closeSession(other);
    await until(async () => (await stage.slot(other)) === undefined);
    expect(recorder.health()).toMatchObject({ status: 'ok', database: 'ok' });
    expect([await connectedAt(), (await stage.slot(closed))?.status]).toEqual([
      before,
      'recording',
    ]);
  });
  await until(async () => (await stage.slot(closed)) === undefined);
  await expect.poll(connectedAt, { timeout: 30_000 }).not.toEqual(before);
});

test('while the head of a session is locked, its interval alone is unsure, and what others said counts as stored', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record();
  const [locked, other] = [await stage.recordedSession(), await stage.recordedSession()];
  const talkers = [await stage.join(locked), await stage.join(other)] as const;
  const { sql } = stage.database;
  const read = async () => {
    const [row] = await sql<{ flushed: number; marked: number | null; others: number }[]>`
      select
        (extract(epoch from min(recorder.flushed_at)) * 1000)::float8 as flushed,
        (extract(epoch from max(unsure_from) filter (where session_id = ${locked})) * 1000)::float8 as marked,
        count(unsure_from) filter (where session_id = ${other})::int as others
      from recording_intervals join recorders recorder on recorder.id = recorder_id
      where recorder.id = ${recorder.health().recorderId}`;
    return row ?? { flushed: Number.NaN, marked: null, others: Number.NaN };
  };
  await sql.begin(async (holding) => {
    await holding`select from session_heads where session_id = ${locked} for update`;
    const saidAt = Date.now();
    await talkers[0].say('locked');
    await talkers[1].say('free');
    await stage.historyWith(other, ({ content }) => content === 'free');
    await until(async () => (await read()).flushed > saidAt + 2000);
    const { marked, others } = await read();
    expect(marked).toBeGreaterThan(saidAt - 1000);
    expect(marked).toBeLessThan(saidAt + 2000);
    expect(others).toBe(0);
  });
  await stage.historyWith(locked, ({ content }) => content === 'locked');
  await until(async () => (await read()).marked === null);
});
