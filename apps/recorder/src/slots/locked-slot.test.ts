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
    await sql`set local idle_in_transaction_session_timeout = 0`;
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
  await expect.poll(connectedAt).not.toEqual(before);
});
