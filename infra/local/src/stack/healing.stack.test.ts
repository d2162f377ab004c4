import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { joinDemoRoom } from '../demo/room.ts';
import { DemoSession } from '../demo/session.ts';
import { readStackFile } from './stack-file.ts';

test('a session goes on after kill -9 of one part after another: later messages are stored', {
  timeout: 180_000,
}, async () => {
  const folder = await makeStackFolder('healing');
  const { apiUrl } = await startTestStack(folder).up();
  const { signal } = new AbortController();
  await using session = await DemoSession.open(apiUrl, 'Ann', signal);
  expect(await session.isRecorded(60_000)).toBe(true);

  for (const part of ['postgres', 'media', 'recorder-1', 'api']) {
    const pid = (await readStackFile(folder))?.pids[part] ?? 0;
    process.kill(pid, 'SIGKILL');
    await until(async () => (await readStackFile(folder))?.pids[part] !== pid);
    await until(() => isStored(session, `after the end of ${part}`));
  }
  const history = await session.history(() => true, 0);
  const ids = history.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** Whether a message that is sent now reaches the history; false while the service does not answer. */
async function isStored(session: DemoSession, sentence: string): Promise<boolean> {
  const has = (history: Awaited<ReturnType<DemoSession['history']>>) =>
    history.some(({ content }) => content === sentence);
  try {
    await using room = await joinDemoRoom(await session.access(), 'Ann', () => {});
    await room.say(sentence);
    return has(await session.history(has, 1000));
  } catch {
    await sleep(100);
    return false;
  }
}
