import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { appendMessages, openDatabase } from '@session/db';
import { holdLocks } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestHistoryWriter, textMessage } from '../../../testing/history-writer.ts';
import { startRecorderProcess, tempFolder } from '../../../testing/recorder-process.ts';
import { TestStage, until } from '../../../testing/stage.ts';

const never = new AbortController().signal;

test('what waits for a session survives the process, and is stored in order by the next one', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 4 });
  const [faulty, other] = [await stage.createSession(), await stage.createSession()];
  let isLocked = true;
  const locking: Parameters<typeof openTestHistoryWriter>[0] = {
    queries: {
      async appendMessages(batch, options) {
        const lockedSessions = isLocked ? [faulty] : [];
        const free = batch.filter(({ sessionId }) => !lockedSessions.includes(sessionId));
        return { ...(await appendMessages(database, free, options)), lockedSessions };
      },
    },
    spoolFolder: temp.folder,
  };
  {
    await using opened = await openTestHistoryWriter(locking);
    for (const word of ['1', '2', '3']) {
      opened.writer.push(textMessage(faulty, word));
      opened.writer.push(textMessage(other, word));
    }
    await opened.writer.untilStored(other, never);
    await opened.writer.end(AbortSignal.abort());
    expect(opened.writer.lost).toEqual({ refused: 0, shed: 0, unsaved: 0 });
  }
  await using opened = await openTestHistoryWriter(locking);
  expect([opened.writer.length, opened.writer.has(faulty)]).toEqual([3, true]);
  opened.writer.push(textMessage(faulty, '4'));
  isLocked = false;
  await opened.writer.untilStored(faulty, never);
  const stored = (await stage.history(faulty)).map(({ content }) => content);
  expect(stored).toEqual(['1', '2', '3', '4']);
});

test('killed twice while the head of its session is locked: all messages are stored once, in order', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const env = stage.env(temp.folder);
  const said: string[] = [];
  async function sayAndKill(): Promise<void> {
    await using program = await startRecorderProcess(env);
    await stage.untilRecording(sessionId);
    const ana = await stage.join(sessionId);
    for (let index = 0; index < 5; index += 1) said.push(await ana.say(`word ${said.length}`));
    const lane = path.join(temp.folder, 'lanes', sessionId);
    await until(async () => (await textOf(lane)).includes(said.at(-1) ?? ''));
    const exit = once(program.child, 'exit');
    program.child.kill('SIGKILL');
    await exit;
  }
  await using lock = await holdLocks(
    stage.databaseUrl,
    async (sql) => await sql`select from session_heads where session_id = ${sessionId} for update`,
  );
  await sayAndKill();
  await sayAndKill();
  await using _ = await startRecorderProcess(env);
  await lock[Symbol.asyncDispose]();
  await stage.historyWith(sessionId, ({ id }) => id === said.at(-1));
  const history = await stage.history(sessionId);
  const words = history.filter(({ kind }) => kind === 'text');
  expect(words.map(({ id }) => id)).toEqual(said);
  expect(words.map(({ content }) => content)).toEqual(said.map((_id, index) => `word ${index}`));
});

test('a session that waits alone has all the room there is, and past it the noisiest gives way', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 4 });
  const [quiet, loud] = [await stage.createSession(), await stage.createSession()];
  let isLocked = true;
  await using opened = await openTestHistoryWriter({
    spoolBytes: 1_000_000,
    timing: { flushMs: 1, spoolMs: 1, refuseMs: 600_000 },
    queries: {
      async appendMessages(batch, options) {
        const lockedSessions = isLocked ? [quiet, loud] : [];
        const free = batch.filter(({ sessionId }) => !lockedSessions.includes(sessionId));
        return { ...(await appendMessages(database, free, options)), lockedSessions };
      },
    },
  });
  const { writer } = opened;
  const say = (sessionId: string) => writer.push(textMessage(sessionId, 'x'.repeat(10_000)));
  let said = 80;
  say(quiet);
  for (let count = 0; count < said; count += 1) say(loud);
  await expect.poll(() => writer.spool.messages).toBe(81);
  expect(writer.lost.shed).toBe(0);
  const sayMore = () => {
    said += 1;
    say(loud);
    return writer.lost.shed;
  };
  await expect.poll(sayMore, { interval: 10 }).toBeGreaterThan(0);
  // The count rises when the first files are deleted, while other files are still to be deleted.
  await expect.poll(() => writer.spool.sizeBytes).toBeLessThan(1_000_000);
  isLocked = false;
  await writer.untilStored(quiet, never);
  await writer.untilStored(loud, never);
  const texts = async (id: string) =>
    (await stage.history(id)).filter(({ kind }) => kind === 'text').length;
  expect(await texts(quiet)).toBe(1);
  expect(await texts(loud)).toBe(said - writer.lost.shed);
});

/** Returns the content of all files in a folder; an empty text while the folder does not exist. */
async function textOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const texts = names.map((name) => readFile(path.join(folder, name), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('');
}
