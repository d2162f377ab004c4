import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, freePort, type TestMedia, testMedia } from '@session/testing';

const main = path.resolve(import.meta.dirname, '../../../apps/api/src/main.ts');

export interface RealApi extends AsyncDisposable {
  readonly url: string;
}

/** Starts the API as a process of its own, on a database of its own, and returns it when it is ready. */
export async function startRealApi(media: TestMedia = testMedia()): Promise<RealApi> {
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const port = await freePort('127.0.0.1');
  const api = spawn(process.execPath, ['--conditions=@source', main], {
    env: {
      PATH: process.env['PATH'],
      JWT_SECRET: 'a secret of the tests, 32 bytes or more',
      MEDIA_URL: media.url,
      MEDIA_API_KEY: media.apiKey,
      MEDIA_API_SECRET: media.apiSecret,
      DATABASE_URL: databaseUrl,
      AGENT_PROCESS_DIR: folder,
      PORT: String(port),
      LOG_LEVEL: 'warn',
    },
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  stack.defer(async () => {
    if (api.exitCode !== null || api.signalCode !== null) return;
    const exit = once(api, 'exit');
    api.kill('SIGTERM');
    await exit;
  });
  const ready = once(api, 'message');
  const ended = once(api, 'exit').then(() => {
    throw new Error('the API did not start');
  });
  await Promise.race([ready, ended]);
  // Its end is no failure from now on.
  ended.catch(() => {});
  const owned = stack.move();
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
