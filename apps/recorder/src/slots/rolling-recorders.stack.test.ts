import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  type RecorderProcess,
  startRecorderProcess,
  tempFolder,
} from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { hasStored, storedTalk, talk } from '../../testing/talk.ts';

test('three recorders restarted one after another during a talk: code 0, no gap, nothing lost, in order', async () => {
  await using programs = new AsyncDisposableStack();
  await using stage = await TestStage.open();
  const sessions = [await stage.createSession(), await stage.createSession()];
  const folders = [];
  for (const _ of [1, 2, 3]) folders.push(programs.use(await tempFolder()).folder);
  const start = async (folder: string) =>
    programs.use(await startRecorderProcess(stage.env(folder)));
  const running: RecorderProcess[] = [];
  for (const folder of folders) running.push(await start(folder));
  for (const sessionId of sessions) await stage.untilRecording(sessionId);
  const talks = await Promise.all(sessions.map((sessionId) => talk(stage, sessionId, 25)));
  for (const sessionId of sessions) await until(() => hasStored(stage, sessionId, 20));
  for (const [index, { child }] of running.entries()) {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    // The last recorder hands over to the two that were started again.
    if (index < 2) await start(folders[index] ?? '');
  }
  for (const [index, sessionId] of sessions.entries()) {
    const { said, hush } = talks[index] ?? {};
    await hush?.();
    await until(() => hasStored(stage, sessionId, said ?? 0));
    expect(await storedTalk(stage, sessionId)).toEqual(said);
    expect(await stage.gaps(sessionId)).toEqual({ reported: [], left: [] });
  }
});
