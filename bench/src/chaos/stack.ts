import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import type { MediaServer } from '@session/media';
import * as z from 'zod';
import type { ChaosOptions } from './options.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const POLL_MS = 100;

const StackFile = z.object({
  apiUrl: z.string(),
  mediaUrl: z.string(),
  mediaApiKey: z.string(),
  mediaApiSecret: z.string(),
  metricsUrls: z.record(z.string(), z.string()),
  pids: z.record(z.string(), z.number()),
});

interface TestedStack extends AsyncDisposable {
  readonly apiUrl: string;
  readonly media: MediaServer;
  /** Returns the pids of the stack's current processes, by name. */
  readonly pids: () => Promise<Readonly<Record<string, number>>>;
  /** Whether the recorder reports that it is healthy. */
  readonly isHealthy: (recorder: string) => Promise<boolean>;
}

/** Starts a stack like `npm start`, on free ports. Throws a StartError with its last output when it ends too early. */
export async function startStack(
  options: Pick<ChaosOptions, 'folder' | 'recorders' | 'redundancy'>,
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
      const { apiUrl, mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret } = file;
      const pids = async () => (await readStackFile(folder))?.pids ?? {};
      const isHealthy = async (name: string) => await answersHealthy(file.metricsUrls[name] ?? '');
      const media = { url, apiKey, apiSecret };
      return { apiUrl, media, pids, isHealthy, [Symbol.asyncDispose]: end };
    }
    if (!(await pause(POLL_MS, stop))) {
      await end();
      throw new StartError('Stopped.');
    }
  }
}

async function answersHealthy(metricsUrl: string): Promise<boolean> {
  const answer = await fetch(new URL('/health', metricsUrl)).catch(() => undefined);
  return answer?.ok ?? false;
}

async function readStackFile(folder: string): Promise<z.output<typeof StackFile> | undefined> {
  const text = await readFile(path.join(folder, 'stack.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : StackFile.parse(JSON.parse(text));
}
