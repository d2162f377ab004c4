import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  endInterval,
  insertInterval,
  openDatabase,
  startRecorder,
  updateHeartbeat,
} from '@session/db';
import { createTestDatabase, programEnv, serviceProgram } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { tempFolder } from '../testing/recorder-process.ts';
import { TestStage } from '../testing/stage.ts';

const run = promisify(execFile);
const iso = (ms: number) => new Date(ms).toISOString();

test('a session that was left and closed just before the restored time says once what is gone, also when the command is run again', async () => {
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const [id, recorderId, now] = [uuidv7(), uuidv7(), Date.now()];
  const { recorderEpoch: epoch } = await startRecorder(stage.database, {
    id: recorderId,
    capacity: 9,
  });
  await insertInterval(stage.database, { sessionId, id, recorderId, fromAt: iso(now - 9000) });
  const toAt = iso(now - 100);
  await endInterval(stage.database, { sessionId, id, toAt, endReason: 'session_closed' });
  await stage.closeSession(sessionId);
  const flushedAt = iso(now - 300);
  const rest = { load: 0, isDraining: false, standbyAt: null, webhookAt: null, clockOffsetMs: 0 };
  await updateHeartbeat(stage.database, { id: recorderId, epoch, flushedAt, ...rest });

  const env = { ...programEnv(), DATABASE_URL: stage.databaseUrl };
  const program = serviceProgram('recorder', 'after-restore');
  for (const _ of [1, 2]) await run(process.execPath, [program], { env });
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toEqual([{ from: flushedAt, to: expect.any(String), reason: 'restored' }]);
  expect(reported).toEqual(left);
});

test('the server of DATABASE_URL is prepared and named, although a file `.env` leads programs to another one', async () => {
  await using restored = await createTestDatabase();
  await using damaged = await createTestDatabase();
  await using temp = await tempFolder();
  const file = `DATABASE_URL=${damaged.url}\nDATABASE_DIRECT_URL=${damaged.url}\n`;
  await writeFile(path.join(temp.folder, '.env'), file);
  const env = { ...programEnv(), DATABASE_URL: restored.url };
  const program = serviceProgram('recorder', 'after-restore');
  const { stdout } = await run(process.execPath, [program], { env, cwd: temp.folder });
  const restores = [restored, damaged].map(async ({ url }) => {
    await using database = openDatabase(url, { connections: 1 });
    return (await database.sql`select from restores`).length;
  });
  expect(await Promise.all(restores)).toEqual([1, 0]);
  const { host, pathname } = new URL(restored.url);
  expect(stdout.split(' · ', 1)).toEqual([`prepared ${host}${pathname}`]);
});
