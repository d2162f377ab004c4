import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, freePort, type TestMedia, testMedia } from '@session/testing';

const apps = path.resolve(import.meta.dirname, '../../../apps');

export interface RealApi extends AsyncDisposable {
  readonly url: string;
  /** Starts a recorder, and resolves when it is ready. Disposing of the API ends the recorder too. */
  startRecorder(): Promise<AsyncDisposable>;
}

/** Starts the API as a process of its own, on a database of its own, and returns it when it is ready. */
export async function startRealApi(media: TestMedia = testMedia()): Promise<RealApi> {
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const shared = {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    MEDIA_URL: media.url,
    MEDIA_API_KEY: media.apiKey,
    MEDIA_API_SECRET: media.apiSecret,
    LOG_LEVEL: 'error',
  };
  const port = await freePort('127.0.0.1');
  const own = { JWT_SECRET: 'a secret of the tests, 32 bytes or more', AGENT_PROCESS_DIR: folder };
  stack.use(await startApp('api', folder, { ...shared, ...own, PORT: String(port) }));
  const owned = stack.move();
  return {
    url: `http://127.0.0.1:${port}`,
    async startRecorder() {
      const RECORDER_SPOOL_DIR = path.join(folder, 'spool');
      const started = await startApp('recorder', folder, { ...shared, RECORDER_SPOOL_DIR });
      owned.use(started);
      return started;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts one of our programs from its source, and resolves when it is ready. Disposal ends it. */
async function startApp(
  name: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<AsyncDisposable> {
  const main = path.join(apps, name, 'src/main.ts');
  const child = spawn(process.execPath, ['--conditions=@source', main], {
    env,
    cwd,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const ready = once(child, 'message').then(() => true);
  const isReady = await Promise.race([ready, exit.then(() => false)]);
  if (!isReady) throw new Error(`${name} did not start`);
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exit;
    },
  };
}
