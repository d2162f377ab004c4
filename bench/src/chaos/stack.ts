import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { readStackFile, type StackFile } from '@session/local';
import type { MediaServer } from '@session/media';
import { FORMER_RECORDER, startFormerRecorder } from './former-recorder.ts';
import type { ChaosOptions } from './options.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const POLL_MS = 100;

interface TestedStack extends AsyncDisposable {
  readonly apiUrl: string;
  readonly media: MediaServer;
  /** Returns the pids of the stack's current processes, by name. */
  readonly pids: () => Promise<Readonly<Record<string, number>>>;
  /** Whether the recorder reports that it is healthy. */
  readonly isHealthy: (recorder: string) => Promise<boolean>;
}

/**
 * Starts a stack like `npm start`, on free ports, and beside it the former recorder that `options` name. Throws a StartError
 * with its last output when it ends too early.
 */
export async function startStack(
  options: Pick<ChaosOptions, 'folder' | 'formerRecorder' | 'recorders' | 'redundancy'>,
  stop: AbortSignal,
): Promise<TestedStack> {
  const { recorders, redundancy } = options;
  const folder = path.join(root, '.cache', options.folder);
  await mkdir(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    ['--conditions=@source', path.join(root, 'infra/local/src/main.ts')],
    {
      cwd: root,
      // A process group of its own: Ctrl-C reaches only this process, which then stops the stack.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DATABASE_URL: '',
        MEDIA_URL: '',
        STACK_DIR: folder,
        PORT: '0',
        CONSOLE: 'off',
        RECORDERS: String(recorders),
        RECORDER_REDUNDANCY: String(redundancy),
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-10_000);
    });
  }
  const exit = once(child, 'exit');
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exit;
  };
  for (;;) {
    if (child.exitCode !== null) throw new StartError(`The stack does not start:\n${output}`);
    const file = await readStackFile(folder);
    if (file && file.pids['supervisor'] === child.pid) {
      return await withFormerRecorder(file, { ...options, folder }, end, stop);
    }
    if (!(await pause(POLL_MS, stop))) {
      await end();
      throw new StartError('Stopped.');
    }
  }
}

/** Returns the stack that `file` describes, with the former recorder if one is named. `end` stops the stack. */
async function withFormerRecorder(
  file: StackFile,
  options: Pick<ChaosOptions, 'folder' | 'formerRecorder' | 'redundancy'>,
  end: () => Promise<void>,
  stop: AbortSignal,
): Promise<TestedStack> {
  const { apiUrl, mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret } = file;
  const { folder, formerRecorder } = options;
  await using parts = new AsyncDisposableStack();
  parts.defer(end);
  const former =
    formerRecorder === undefined
      ? undefined
      : parts.use(await startFormerRecorder(formerRecorder, file, options, stop));
  const urls: Readonly<Record<string, string>> = {
    ...file.metricsUrls,
    ...(former && { [FORMER_RECORDER]: former.healthUrl }),
  };
  const owned = parts.move();
  return {
    apiUrl,
    media: { url, apiKey, apiSecret },
    pids: async () => ({
      ...(await readStackFile(folder))?.pids,
      ...(former && { [FORMER_RECORDER]: former.pid() }),
    }),
    isHealthy: async (name) => await answersHealthy(urls[name] ?? ''),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function answersHealthy(url: string): Promise<boolean> {
  const answer = await fetch(new URL('/health', url)).catch(() => undefined);
  return answer?.ok ?? false;
}
