import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { readStackFile, type ServiceHost, type StackFile } from '@session/local';
import type { MediaServer } from '@session/media';
import { startBalancer } from './balancer.ts';
import { FORMER_RECORDER, startFormerRecorder } from './former-recorder.ts';
import { DRAIN_DELAY_SECONDS, startFurtherApis } from './further-apis.ts';
import type { ChaosOptions } from './options.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const POLL_MS = 100;

interface TestedStack extends AsyncDisposable {
  readonly apiUrl: string;
  readonly media: MediaServer;
  /** Returns the pids of the stack's current processes, by name. */
  readonly pids: () => Promise<Readonly<Record<string, number>>>;
  /** Whether the recorder or the API reports that it works. */
  readonly isHealthy: (part: string) => Promise<boolean>;
}

/**
 * Starts a stack like `npm start`, on free ports, and beside it the former recorder that `options` name. Throws a StartError
 * with its last output when it ends too early.
 */
export async function startStack(
  options: Pick<ChaosOptions, 'apis' | 'folder' | 'formerRecorder' | 'recorders' | 'redundancy'>,
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
        ...(options.apis > 1 && { DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS) }),
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
      return await withMore(file, { ...options, folder }, end, stop);
    }
    if (!(await pause(POLL_MS, stop))) {
      await end();
      throw new StartError('Stopped.');
    }
  }
}

/**
 * Returns the stack that `file` describes, with the former recorder and the further APIs that `options` name. `end` stops the
 * stack.
 */
async function withMore(
  file: StackFile,
  options: Pick<ChaosOptions, 'apis' | 'folder' | 'formerRecorder' | 'redundancy'>,
  end: () => Promise<void>,
  stop: AbortSignal,
): Promise<TestedStack> {
  const { mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret } = file;
  const { folder, formerRecorder } = options;
  await using parts = new AsyncDisposableStack();
  parts.defer(end);
  const former =
    formerRecorder === undefined
      ? undefined
      : parts.use(await startFormerRecorder(formerRecorder, file, options, stop));
  const balanced = await startBalanced(file, options, stop, parts);
  const urls: Readonly<Record<string, string>> = {
    ...file.metricsUrls,
    ...balanced.internalUrls,
    ...(former && { [FORMER_RECORDER]: former.healthUrl }),
  };
  const owned = parts.move();
  return {
    apiUrl: balanced.url,
    media: { url, apiKey, apiSecret },
    pids: async () => ({
      ...(await readStackFile(folder))?.pids,
      ...(former && { [FORMER_RECORDER]: former.pid() }),
      ...balanced.pids,
    }),
    isHealthy: async (name) => await answers(urls[name] ?? '', name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The APIs of a stack, and the address at which clients reach them. */
interface BalancedApis {
  readonly url: string;
  /** The current processes of the further APIs. */
  readonly pids: Readonly<Record<string, number>>;
  readonly internalUrls: Readonly<Record<string, string>>;
}

/** Starts the further APIs and the balancer that `options` ask for, if they do. Disposal of `parts` stops them. */
async function startBalanced(
  file: StackFile,
  { apis, folder }: Pick<ChaosOptions, 'apis' | 'folder'>,
  stop: AbortSignal,
  parts: AsyncDisposableStack,
): Promise<BalancedApis> {
  if (apis === 1) return { url: file.apiUrl, pids: {}, internalUrls: {} };
  const pids: Record<string, number> = {};
  const host: ServiceHost = {
    logFolder: path.join(folder, 'logs'),
    stop,
    forceStop: stop,
    say: () => {},
    note: async (name, pid) => {
      if (name.startsWith('api')) pids[name] = pid;
    },
  };
  const further = await startFurtherApis(apis, file, folder, host, parts);
  const first = { name: 'api', url: file.apiUrl, internalUrl: file.metricsUrl ?? '' };
  const { url } = parts.use(await startBalancer([first, ...further], folder, host));
  const internalUrls = Object.fromEntries(further.map((api) => [api.name, api.internalUrl]));
  return { url, pids, internalUrls };
}

/** Whether a part answers at its internal port: an API that it takes work, a recorder, also of a former release, that it is healthy. */
async function answers(url: string, name: string): Promise<boolean> {
  const route = name.startsWith('api') ? '/ready' : '/health';
  const answer = await fetch(new URL(route, url)).catch(() => undefined);
  return answer?.ok ?? false;
}
