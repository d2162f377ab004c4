import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '@session/kit';
import { onTestFinished } from 'vitest';
import { removePostgresHome } from '../src/postgres/home.ts';
import { chooseMediaPorts } from '../src/stack/media-ports.ts';
import { readStackFile, type StackFile } from '../src/stack/stack-file.ts';

const main = path.join(import.meta.dirname, '../src/main.ts');
const testFolder = path.resolve(import.meta.dirname, '../../../.cache/stack-test');
const DEADLINE_MS = 150_000;

export interface StackRun {
  readonly child: ChildProcess;
  output(): string;
  /** Returns the stack's description when it is up. Throws an error with its output when it ends before. */
  up(): Promise<StackFile>;
  /** Sends the signal, and returns the exit code and the signal of the end. */
  stop(signal: NodeJS.Signals): Promise<unknown[]>;
}

/**
 * Starts a stack in `folder` on free ports. If there is a `wrapper`, the stack's command is its last arguments. The stack is
 * stopped at the end of the test at the latest.
 */
export function startTestStack(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  wrapper: readonly string[] = [],
): StackRun {
  const [command, ...args] = [...wrapper, process.execPath, '--conditions=@source', main];
  const child = spawn(command, args, {
    // Empty, so that neither this environment nor an `.env` file leads to a server of the user's own.
    // Without the console: its pages would have to be built.
    env: {
      ...process.env,
      DATABASE_URL: '',
      MEDIA_URL: '',
      STACK_DIR: folder,
      PORT: '0',
      CONSOLE: 'off',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const stop = async (signal: NodeJS.Signals) => {
    const exit = once(child, 'exit');
    child.kill(signal);
    return await exit;
  };
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop('SIGTERM');
  });
  const up = async () =>
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the stack ended:\n${output}`);
      const file = await readStackFile(folder);
      return file?.pids['supervisor'] === child.pid && file;
    });
  return { child, output: () => output, up, stop };
}

/** Returns a folder for a stack, which is removed at the end of the test. */
export async function makeStackFolder(name: string): Promise<string> {
  const folder = path.join(testFolder, `${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await chooseMediaPorts(folder);
  onTestFinished(async () => {
    await removePostgresHome(path.join(folder, 'postgres'));
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Returns the names of the parts of `file` that still run. */
export async function stillRunning({ pids }: StackFile): Promise<string[]> {
  const names: string[] = [];
  for (const [name, pid] of Object.entries(pids)) if (await identify(pid)) names.push(name);
  return names;
}

/** Returns the first result of `condition` that is neither undefined nor false. Throws after `patienceMs`. */
export async function until<T>(
  condition: () => Promise<T | undefined | false>,
  patienceMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (performance.now() > deadline)
      throw new Error(`the condition did not come true within ${patienceMs / 1000} s`);
    await sleep(50);
  }
}
