import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { firstFreePort, Service, type StackFile } from '@session/local';
import { provideCheckout } from '../measure/checkout.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const HOST = '127.0.0.1';
/** Longer than a process may take to drain. */
const STOP_TIMEOUT_MS = 45_000;
export const FORMER_RECORDER = 'recorder-former';
export const FORMER_API = 'api-former';

/** A process of another commit beside those of a stack. */
interface FormerProcess extends AsyncDisposable {
  readonly pid: () => number;
  readonly url: string;
  readonly internalUrl: string;
}

interface Place {
  readonly folder: string;
  readonly redundancy: number;
}

/** Whether this clone has a commit: a shallow one lacks what came before. */
export function hasCommit(ref: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${ref}^{commit}`], { cwd: root }).status === 0;
}

/** Returns the newest tag before this commit, or undefined when the clone has none. */
export function lastTag(): string | undefined {
  const found = spawnSync('git', ['describe', '--tags', '--abbrev=0'], { cwd: root });
  return found.status === 0 ? found.stdout.toString().trim() : undefined;
}

/**
 * Starts the recorder of the commit `ref` on the servers of a stack, and starts it again when it ends. Its checkout stays in
 * `.cache/releases`. Throws a StartError when there is no such commit in this clone.
 */
export async function startFormerRecorder(
  ref: string,
  file: StackFile,
  { folder, redundancy }: Place,
  stop: AbortSignal,
): Promise<FormerProcess> {
  return await startFormer(FORMER_RECORDER, { ref, app: 'recorder', folder }, stop, {
    ...serversOf(file),
    RECORDER_REDUNDANCY: String(redundancy),
    RECORDER_SPOOL_DIR: path.join(folder, 'spool', FORMER_RECORDER),
  });
}

/** Starts the API of the commit `ref` on the servers of a stack, as `startFormerRecorder` does. */
export async function startFormerApi(
  ref: string,
  file: StackFile,
  { folder }: Place,
  stop: AbortSignal,
): Promise<FormerProcess> {
  return await startFormer(FORMER_API, { ref, app: 'api', folder }, stop, {
    ...serversOf(file),
    JWT_SECRET: file.jwtSecret,
    AGENT_PROCESS_DIR: path.join(folder, 'agents', FORMER_API),
  });
}

function serversOf({ databaseUrl, mediaUrl, mediaApiKey, mediaApiSecret }: StackFile) {
  return {
    DATABASE_URL: databaseUrl,
    MEDIA_URL: mediaUrl,
    MEDIA_API_KEY: mediaApiKey,
    MEDIA_API_SECRET: mediaApiSecret,
    HOST,
  };
}

async function startFormer(
  name: string,
  { ref, app, folder }: { ref: string; app: string; folder: string },
  stop: AbortSignal,
  variables: NodeJS.ProcessEnv,
): Promise<FormerProcess> {
  const checkout = await provideCheckout(ref);
  const port = await firstFreePort([], HOST);
  const internalPort = await firstFreePort([], HOST, new Set([port]));
  const ports = { PORT: String(port), METRICS_PORT: String(internalPort) };
  let pid = 0;
  const logFolder = path.join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const service = await Service.start(
    {
      name,
      command: process.execPath,
      args: ['--conditions=@source', path.join(checkout, `apps/${app}/src/main.ts`)],
      options: { cwd: checkout, env: { ...process.env, ...variables, ...ports } },
      hasChannel: true,
      stop: { signal: 'SIGTERM', patienceMs: STOP_TIMEOUT_MS },
      async ready(child, signal) {
        await once(child, 'message', { signal });
      },
    },
    {
      logFolder,
      stop,
      forceStop: stop,
      say: () => {},
      note: async (_name, noted) => {
        pid = noted;
      },
    },
  );
  return {
    pid: () => pid,
    url: `http://${HOST}:${port}`,
    internalUrl: `http://${HOST}:${internalPort}`,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
