import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';

test('while a slot is locked, other sessions are claimed, recorded and closed; later it is written too', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record();
  const [locked, closing] = [await stage.recordedSession(), await stage.recordedSession()];
  await stage.database.sql.begin(async (sql) => {
    await sql`select from recording_assignments where session_id = ${locked} for update`;
    await stage.closeSession(locked);
    await until(() => recorder.health().sessions['closed'] === 1);
    await stage.recordedSession();
    await stage.closeSession(closing);
    await until(async () => (await stage.slot(closing)) === undefined);
    expect(recorder.health()).toMatchObject({ status: 'ok', database: 'ok' });
    expect(await stage.slot(locked)).toMatchObject({ status: 'recording' });
  });
  await until(async () => (await stage.slot(locked)) === undefined);
});
