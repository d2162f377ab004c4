import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@session/kit';
import { firstFreePort, Service, type StackFile } from '@session/local';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
const HOST = '127.0.0.1';
export const FORMER_RECORDER = 'recorder-former';

/** A recorder of another commit beside those of a stack. */
interface FormerRecorder extends AsyncDisposable {
  readonly pid: () => number;
  readonly healthUrl: string;
}

/**
 * Starts the recorder of the commit `ref` on the servers of a stack, and starts it again when it ends. Its checkout stays in
 * `.cache/releases`. Throws a StartError when there is no such commit in this clone.
 */
export async function startFormerRecorder(
  ref: string,
  { databaseUrl, mediaUrl, mediaApiKey, mediaApiSecret }: StackFile,
  { folder, redundancy }: { readonly folder: string; readonly redundancy: number },
  stop: AbortSignal,
): Promise<FormerRecorder> {
  const checkout = await provideCheckout(ref);
  const port = await firstFreePort([], HOST);
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    MEDIA_URL: mediaUrl,
    MEDIA_API_KEY: mediaApiKey,
    MEDIA_API_SECRET: mediaApiSecret,
    HOST,
    METRICS_PORT: String(port),
    RECORDER_REDUNDANCY: String(redundancy),
    RECORDER_SPOOL_DIR: path.join(folder, 'spool', FORMER_RECORDER),
  };
  let pid = 0;
  const logFolder = path.join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const service = await Service.start(
    {
      name: FORMER_RECORDER,
      command: process.execPath,
      args: ['--conditions=@source', path.join(checkout, 'apps/recorder/src/main.ts')],
      options: { cwd: checkout, env },
      hasChannel: true,
      stop: { signal: 'SIGTERM', patienceMs: 30_000 },
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
    healthUrl: `http://${HOST}:${port}/health`,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Returns the folder of a checkout of `ref` with its packages, which is made at its first use. */
async function provideCheckout(ref: string): Promise<string> {
  const found = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root }).catch(
    (cause: unknown) => {
      throw new StartError(`--former-recorder: this clone has no commit ${ref}.`, { cause });
    },
  );
  const commit = found.stdout.trim();
  const folder = path.join(root, '.cache/releases', commit);
  const mark = path.join(folder, 'node_modules/.modules.yaml');
  const isReady = await access(mark).then(
    () => true,
    () => false,
  );
  if (isReady) return folder;
  await rm(folder, { recursive: true, force: true });
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder]);
  await run('git', ['checkout', '--quiet', commit], { cwd: folder });
  await run('pnpm', ['install', '--frozen-lockfile'], { cwd: folder });
  return folder;
}
