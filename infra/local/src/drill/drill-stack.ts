import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { readStackFile, type StackFile } from '../stack/stack-file.ts';

const main = path.resolve(import.meta.dirname, '../main.ts');
const POLL_MS = 100;

/** A stack that drills break. */
export interface DrillStack {
  /** The folder of the stack, absolute. */
  readonly folder: string;
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly prometheusUrl: string;
  /** Aborts when the drill should end. */
  readonly stop: AbortSignal;
  /** Returns the pids of the stack's current processes, by name. */
  pids(): Promise<Readonly<Record<string, number>>>;
}

/**
 * Starts a stack with a Prometheus on free ports, as a process of its own with `env`. Throws a StartError with its output when it
 * does not start.
 */
export async function startDrillStack(
  folder: string,
  env: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<AsyncDisposable & DrillStack> {
  await mkdir(folder, { recursive: true });
  // Series of an earlier drill would count as those of this one for five minutes.
  await rm(path.join(folder, 'prometheus'), { recursive: true, force: true });
  const child = spawn(process.execPath, ['--conditions=@source', main], {
    // A process group of its own: Ctrl-C reaches only this process, which then mends and stops the stack.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: '',
      MEDIA_URL: '',
      PORT: '0',
      CONSOLE: 'off',
      MONITORING: '1',
      ...env,
      STACK_DIR: folder,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-10_000);
    });
  }
  const exit = once(child, 'exit');
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exit;
  });
  const read = async () => {
    const file = await readStackFile(folder);
    return file?.pids['supervisor'] === child.pid ? file : undefined;
  };
  let file: StackFile | undefined;
  while (!file) {
    if (child.exitCode !== null) throw new StartError(`The stack does not start:\n${output}`);
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
    file = await read();
  }
  const { apiUrl, databaseUrl, prometheusUrl } = file;
  if (prometheusUrl === null) throw new StartError(`The stack has no Prometheus:\n${output}`);
  const owned = parts.move();
  return {
    folder,
    apiUrl,
    databaseUrl,
    prometheusUrl,
    stop,
    pids: async () => (await read())?.pids ?? {},
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
