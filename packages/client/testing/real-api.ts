import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createTestDatabase,
  freePort,
  programEnv,
  serviceProgram,
  type TestMedia,
  testMedia,
} from '@session/testing';

interface RunningApp extends AsyncDisposable {
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface RealApi extends RunningApp {
  readonly url: string;
  readonly databaseUrl: string;
  /** Starts a recorder, and resolves when it is ready. Disposing of the API ends the recorder too. */
  startRecorder(): Promise<RunningApp>;
}

/**
 * Starts the API as a process of its own, on a database of its own, and returns it when it is ready. Pages of `origins` may
 * call it. `more` are further variables.
 */
export async function startRealApi(
  media: TestMedia = testMedia(),
  origins: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<RealApi> {
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const shared = {
    ...programEnv(),
    DATABASE_URL: databaseUrl,
    MEDIA_URL: media.url,
    MEDIA_API_KEY: media.apiKey,
    MEDIA_API_SECRET: media.apiSecret,
    LOG_LEVEL: 'error',
  };
  const port = await freePort('127.0.0.1');
  const own = {
    JWT_SECRET: 'a secret of the tests, 32 bytes or more',
    AGENT_PROCESS_DIR: folder,
    CORS_ORIGINS: origins.join(','),
    ...more,
  };
  const env = { ...shared, ...own, PORT: String(port) };
  const api = stack.use(await startApp('api', folder, env));
  const owned = stack.move();
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl,
    kill: () => api.kill(),
    start: () => api.start(),
    async startRecorder() {
      const RECORDER_SPOOL_DIR = path.join(folder, 'spool');
      return owned.use(await startApp('recorder', folder, { ...shared, RECORDER_SPOOL_DIR }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startApp(
  name: 'api' | 'recorder',
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<RunningApp> {
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(process.execPath, [serviceProgram(name)], {
      env,
      cwd,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exit = once(child, 'exit').then(() => false);
    const ready = once(child, 'message').then(() => true);
    if (!(await Promise.race([ready, exit]))) throw new Error(`${name} did not start`);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  await start();
  return { start, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}
