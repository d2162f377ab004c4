import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const main = path.resolve(import.meta.dirname, '../../../../infra/local/src/main.ts');
const DEADLINE_MS = 120_000;

interface Description {
  readonly apiUrl: string;
  readonly consoleUrl: string | null;
  readonly demoUrl: string | null;
  readonly mediaUrl: string;
  readonly databaseUrl: string;
  readonly pids: Readonly<Record<string, number>>;
}

/** A whole stack, as `npm start` starts it, on free ports. Disposal stops it, and removes its folder. */
export interface RunningStack extends AsyncDisposable, Omit<Description, 'pids'> {
  readonly folder: string;
  output(): string;
  /** Returns the current pid of each part, by its name. The stack restarts parts that have ended. */
  pids(): Promise<Readonly<Record<string, number>>>;
}

/**
 * Starts a stack in `folder`, with `env` beside this environment, and returns it when it is up. Throws with the stack's output
 * when it ends before, or is not up within two minutes.
 */
export async function startStack(
  folder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<RunningStack> {
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, ['--conditions=@source', main], {
    // The URLs are empty, so that neither this environment nor an `.env` file leads to a server of the user. NODE_ENV is unset,
    // because with that of a test the stack would build pages for development.
    env: {
      ...process.env,
      NODE_ENV: undefined,
      DATABASE_URL: '',
      MEDIA_URL: '',
      PORT: '0',
      CONSOLE_PORT: '0',
      STACK_DIR: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await removeStackFolder(folder);
  };
  const read = async (): Promise<Description | undefined> => {
    const text = await readFile(path.join(folder, 'stack.json'), 'utf8').catch(() => '');
    return text ? JSON.parse(text) : undefined;
  };
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const description = await read();
    if (description && description.pids['supervisor'] === child.pid) {
      const pids = async () => (await read())?.pids ?? {};
      return { ...description, folder, output: () => output, pids, [Symbol.asyncDispose]: stop };
    }
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`The stack did not start:\n${output}`);
    }
    await sleep(50);
  }
}

/** Removes the folder of a stack. Where root starts it, PostgreSQL's folder is a link to a folder of another user. */
async function removeStackFolder(folder: string): Promise<void> {
  const database = await realpath(path.join(folder, 'postgres')).catch(() => undefined);
  if (database) await rm(database, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
