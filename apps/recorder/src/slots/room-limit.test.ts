import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';

test('a recorder at its limit of rooms records no further session until another one is closed', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record({ config: { capacity: 1, roomLimit: 2 } });
  const recorded = [await stage.recordedSession(), await stage.recordedSession()];
  const waiting = await stage.createSession();
  await until(() => recorder.health().unclaimableSessions === 1);
  expect(recorder.health()).toMatchObject({ sessions: { recording: 2 }, roomLimit: 2 });
  expect(await stage.slot(waiting)).toMatchObject({ recorder_id: null, status: 'waiting' });
  await stage.closeSession(recorded[0] ?? '');
  await stage.untilRecording(waiting);
  await until(() => recorder.health().unclaimableSessions === 0);
  await until(async () => (await stage.gaps(waiting)).reported.length === 1);
  const { reported, left } = await stage.gaps(waiting);
  expect(reported).toEqual(left);
  expect(reported).toMatchObject([{ reason: 'not_started' }]);
});

test('what one recorder at its limit cannot take is recorded by another one, and is not reported', async () => {
  await using stage = await TestStage.open();
  const full = await stage.record({ config: { capacity: 1, roomLimit: 1 } });
  await stage.recordedSession();
  await stage.record({ config: { capacity: 1, roomLimit: 9 } });
  const sessions = [await stage.createSession(), await stage.createSession()];
  for (const sessionId of sessions) await stage.untilRecording(sessionId);
  expect(full.health()).toMatchObject({ sessions: { recording: 1 }, unclaimableSessions: 0 });
});
