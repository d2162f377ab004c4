import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { serviceProgram } from '@session/testing';
import { until } from './stage.ts';

/** A recorder as a process of its own; its disposal kills the process. */
export interface RecorderProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Exit code and signal, also of a process that ended before anybody asked. */
  readonly exit: Promise<unknown[]>;
  /** Where the process serves its health. */
  readonly healthUrl: string;
}

/** Starts the program, and resolves when it has claimed slots for the first time. */
export async function startRecorderProcess(env: NodeJS.ProcessEnv): Promise<RecorderProcess> {
  const child = fork(serviceProgram('recorder'), {
    execArgv: [],
    env: { ...process.env, ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const ready = once(child, 'message', { signal: AbortSignal.timeout(25_000) });
  const lines = child.stdout ? createInterface(child.stdout) : [];
  let port = 0;
  const reading = (async () => {
    for await (const line of lines) port ||= Number(JSON.parse(line).port ?? 0);
  })();
  await ready;
  await until(() => port !== 0);
  return {
    child,
    exit,
    healthUrl: `http://127.0.0.1:${port}/health`,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exit;
      }
      await reading;
    },
  };
}

/** Makes a folder for a recorder's files; its disposal removes the folder. */
export async function tempFolder(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recorder-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Returns what the process reports as its health, with the status of the response. */
export async function health({ healthUrl }: RecorderProcess): Promise<Record<string, unknown>> {
  const response = await fetch(healthUrl);
  const body: unknown = await response.json();
  return { code: response.status, ...Object(body) };
}

/** Returns the status of the process's `/ready`. */
export async function readyStatus({ healthUrl }: RecorderProcess): Promise<number> {
  return (await fetch(new URL('/ready', healthUrl))).status;
}
