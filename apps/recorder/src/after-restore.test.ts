import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { endInterval, insertInterval, startRecorder, updateHeartbeat } from '@session/db';
import { programEnv, serviceProgram } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
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
