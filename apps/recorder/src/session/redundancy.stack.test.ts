import { once } from 'node:events';
import { openRoomService } from '@session/media';
import { expect, test } from 'vitest';
import {
  type RecorderProcess,
  startRecorderProcess,
  tempFolder,
} from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { hasStored, storedTalk, talk } from '../../testing/talk.ts';

/** Returns the recorders that cover the session, the leader first. */
async function coveringRecorders({ database }: TestStage, sessionId: string): Promise<string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select recorder_id as id from recording_intervals where session_id = ${sessionId} and to_at is null order by opened_at`;
  return rows.map(({ id }) => id);
}

test('the leader of two recorders is killed during a talk: no gap, nothing lost, nothing twice, in order', async () => {
  await using programs = new AsyncDisposableStack();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const started: RecorderProcess[] = [];
  for (const count of [1, 2]) {
    const { folder } = programs.use(await tempFolder());
    const env = { ...stage.env(folder), RECORDER_REDUNDANCY: '2' };
    started.push(programs.use(await startRecorderProcess(env)));
    await until(async () => (await coveringRecorders(stage, sessionId)).length === count);
  }
  const [leaderId = ''] = await coveringRecorders(stage, sessionId);
  const present = await openRoomService(stage.media).listParticipants(sessionId);
  expect(new Set(present.map(({ identity }) => identity)).size).toBe(2);

  const { said, hush } = await talk(stage, sessionId, 20);
  await until(() => hasStored(stage, sessionId, 40));
  const [leader] = started;
  const exit = leader && once(leader.child, 'exit');
  leader?.child.kill('SIGKILL');
  await exit;
  const count = said.unnamed.length + 40;
  await until(() => said.unnamed.length > count);
  // The other recorder would declare the leader dead 15 s later.
  await stage.database.sql`
    update recorders set heartbeat_at = heartbeat_at - interval '16 s' where id = ${leaderId}`;
  await until(() => hasStored(stage, sessionId, count));
  await hush();
  await until(() => hasStored(stage, sessionId, said));
  expect(await storedTalk(stage, sessionId)).toEqual(said);
  expect(await stage.gaps(sessionId)).toEqual({ reported: [], left: [] });
});
