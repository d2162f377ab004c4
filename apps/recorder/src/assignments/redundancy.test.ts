import { once } from 'node:events';
import { pause } from '@session/kit';
import { openRoomService } from '@session/media';
import { expect, test } from 'vitest';
import { type Program, startProgram, tempFolder } from '../test-program.ts';
import { TestStage, until } from '../test-recorder.ts';

const EVERY_MS = 20;
const LINES = ['named', 'unnamed', 'streams'] as const;

/** Has one talk in three ways at once, until it is told to stop. */
async function talk(stage: TestStage, sessionId: string) {
  const ana = await stage.join(sessionId);
  const foreigner = await stage.joinAsForeigner(sessionId);
  await foreigner.setAttributes({ known: 'by now' });
  const said: Record<(typeof LINES)[number], string[]> = { named: [], unnamed: [], streams: [] };
  const hushed = new AbortController();
  const encoder = new TextEncoder();
  const send = {
    named: (words: string) => ana.say(words),
    unnamed: (data: string) =>
      foreigner.publishData(encoder.encode(JSON.stringify({ type: 'user_text', data })), {
        reliable: true,
      }),
    streams: (words: string) => ana.sendText('lk.chat', words),
  };
  const speaking = Promise.all(
    LINES.map(async (line) => {
      while (await pause(EVERY_MS, hushed.signal)) {
        const words = `${line} ${said[line].length}`;
        said[line].push(words);
        await send[line](words);
      }
    }),
  );
  const hush = async () => {
    hushed.abort();
    await speaking;
  };
  return { said, hush };
}

async function storedBy(stage: TestStage, sessionId: string) {
  const history = await stage.history(sessionId);
  const texts = history.filter(({ kind }) => kind === 'text').map(({ content }) => content);
  return Object.fromEntries(
    LINES.map((line) => [line, texts.filter((words) => words.startsWith(`${line} `))]),
  );
}

/** Gives the recorders that hear the session, the one first that has heard it longest. */
async function listeners({ database }: TestStage, sessionId: string): Promise<string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select recorder_id as id from recording_intervals where session_id = ${sessionId} and to_at is null order by opened_at`;
  return rows.map(({ id }) => id);
}

test('of two recorders the first is killed while many talk: no gap, nothing lost, nothing twice, in order', async () => {
  await using programs = new AsyncDisposableStack();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const started: Program[] = [];
  for (const _ of [1, 2]) {
    const { folder } = programs.use(await tempFolder());
    const env = { ...stage.env(folder), RECORDER_REDUNDANCY: '2' };
    started.push(programs.use(await startProgram(env)));
    await until(async () => (await listeners(stage, sessionId)).length === started.length);
  }
  const present = await openRoomService(stage.media).listParticipants(sessionId);
  expect(new Set(present.map(({ identity }) => identity)).size).toBe(2);

  const { said, hush } = await talk(stage, sessionId);
  const hasMore = async (count: number) =>
    Object.values(await storedBy(stage, sessionId)).every((words) => words.length >= count);
  await until(() => hasMore(40));
  const [first] = started;
  const exit = first && once(first.child, 'exit');
  first?.child.kill('SIGKILL');
  await exit;
  const count = said.unnamed.length;
  await until(() => said.unnamed.length > count + 40);
  // 15 s later the other takes it for dead.
  await stage.database.sql`
    update recorders set heartbeat_at = heartbeat_at - interval '16 s' where id = ${(await listeners(stage, sessionId))[0] ?? ''}`;
  await until(() => hasMore(count + 40));
  await hush();
  await until(async () => {
    const stored = await storedBy(stage, sessionId);
    return LINES.every((line) => (stored[line]?.length ?? 0) >= said[line].length);
  });
  expect(await storedBy(stage, sessionId)).toEqual(said);
  expect(await stage.gaps(sessionId)).toEqual({ told: [], left: [] });
});
