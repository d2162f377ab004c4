import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { prepareDatabase } from '@session/db';
import { programEnv, serviceProgram, startRestorableServer } from '@session/testing';
import { expect, test } from 'vitest';
import { pollHistory } from '../testing/polling-client.ts';
import { tempFolder } from '../testing/recorder-process.ts';
import { TestStage, until } from '../testing/stage.ts';
import { superviseRecorder } from '../testing/supervised-recorder.ts';
import { hasStored, storedTalk, talk } from '../testing/talk.ts';

const run = promisify(execFile);

/** Runs the program `after-restore` on the database at `url`, and returns its output. */
async function prepareRestored(url: string): Promise<string> {
  const env = { ...programEnv(), DATABASE_URL: url };
  const args = [serviceProgram('recorder', 'after-restore')];
  return (await run(process.execPath, args, { env })).stdout;
}

test('a database that is restored to a point in time while recorders run: all that is stored afterwards is in order, and a later since misses nothing', async () => {
  await using temp = await tempFolder();
  await using server = await startRestorableServer();
  const { url } = server;
  const stop = new AbortController().signal;
  await prepareDatabase({ databaseUrl: url, databaseDirectUrl: url }, { stop });
  const newDatabase = async () => ({ url, [Symbol.asyncDispose]: async () => {} });
  await using stage = await TestStage.open(undefined, newDatabase);
  const { sql } = stage.database;
  const now = async () => {
    const [row] = await sql<{ now: string }[]>`select clock_timestamp()::text as now`;
    return row?.now ?? '';
  };
  await using recorders = new AsyncDisposableStack();
  recorders.use(await superviseRecorder(stage.env(`${temp.folder}/first`)));
  const kept = await stage.recordedSession();
  await using reader = await pollHistory(stage, kept);
  const talking = await talk(stage, kept, 20);
  await until(() => hasStored(stage, kept, 10));
  await server.backUp();
  await until(() => hasStored(stage, kept, 20));
  const before = await storedTalk(stage, kept);
  const restoredTo = await now();

  // All of this happened after that time, and must be gone.
  recorders.use(await superviseRecorder(stage.env(`${temp.folder}/late`)));
  const gone = await stage.recordedSession();
  await stage.join(gone);
  await until(() => hasStored(stage, kept, before.named.length + 20));
  const lost = (await stage.history(kept)).map(({ id }) => id);

  let report = '';
  await server.restore(restoredTo, async (hidden) => {
    report = await prepareRestored(hidden);
  });
  expect(report).toMatch(
    /^prepared .+ · restored to .+ · recordings ended there \d · ACTIVE sessions 1\n$/,
  );
  // Read first, because the recorders store messages again meanwhile, which the client then reads.
  const since = reader.since;
  const stillThere = new Set((await stage.history(kept)).map(({ id }) => id));
  await until(async () => {
    const { reported } = await stage.gaps(kept);
    return reported.length > 0;
  });
  await until(() => hasStored(stage, kept, before.named.length + 60));
  await talking.hush();
  const { said } = talking;
  const last = { named: said.named.at(-1), streams: said.streams.at(-1) };
  await until(async () => {
    const stored = await storedTalk(stage, kept);
    return stored.named.at(-1) === last.named && stored.streams.at(-1) === last.streams;
  });

  // All earlier messages are still there, and each sentence follows those that were said before it.
  const stored = await storedTalk(stage, kept);
  expect(stored.named.slice(0, before.named.length)).toEqual(before.named);
  for (const sentences of Object.values(stored)) {
    const numbers = sentences.map((sentence) => Number(sentence.split(' ')[1]));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  }

  // A client that continues with a later `since` gets all messages that were stored after the restore.
  const history = await stage.history(kept);
  const ids = new Set(history.map(({ id }) => id));
  expect(lost.filter((id) => !ids.has(id))).not.toEqual([]);
  const later = history.filter(({ id }) => !stillThere.has(id));
  await until(() => later.every(({ id }) => reader.ids.includes(id)));
  expect(later.filter(({ at }) => Date.parse(at) <= Date.parse(since))).toEqual([]);

  // The history reports which time is missing.
  const { reported, left } = await stage.gaps(kept);
  const restored = { from: expect.any(String), to: expect.any(String), reason: 'restored' };
  expect(left).toContainEqual(restored);
  expect(reported).toContainEqual(restored);
  expect(await sql`select 1 from sessions where id = ${gone}`).toEqual([]);
  expect(await sql`select 1 from messages where session_id = ${gone}`).toEqual([]);
  // Both recorders are back.
  await until(async () => {
    const rows = await sql`select 1 from recorders where heartbeat_at > now() - interval '15 s'`;
    return rows.length === 2;
  });
}, 240_000);
