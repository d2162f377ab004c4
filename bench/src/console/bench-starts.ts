import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { readStackFile } from '@session/local';
import { median } from '../measure/statistics.ts';
import { inS, markdownTable } from '../measure/table.ts';

const bootstrap = path.resolve(import.meta.dirname, '../../../infra/local/bootstrap.mjs');
/** The script `start` of package.json, without npm. */
const START = ['node', '--conditions=@source', 'infra/local/src/main.ts'];
const POLL_MS = 10;
const MAX_PAIRS = 5;

/**
 * Measures `npm start` until everything answers, with and without the console, in turn. Each start is a warm one: the stack
 * has a database from before, and the pages are built.
 */
export async function benchStarts(
  folder: string,
  { rounds, stop }: { readonly rounds: number; readonly stop: AbortSignal },
  note: (text: string) => void,
): Promise<string> {
  const pairs = Math.min(rounds, MAX_PAIRS);
  const times: number[] = [];
  const timesWithout: number[] = [];
  for (const isConsole of [true, false]) await startMs(folder, isConsole, stop);
  for (let pair = 1; pair <= pairs; pair += 1) {
    note(`pair ${pair} of ${pairs}`);
    const order = pair % 2 === 0 ? [false, true] : [true, false];
    for (const isConsole of order) {
      (isConsole ? times : timesWithout).push(await startMs(folder, isConsole, stop));
    }
  }
  return markdownTable(
    [`\`npm start\`, warm, ${pairs} each`, 'median', 'least', 'most'],
    [rowOf('with the console', times), rowOf('`CONSOLE=off`', timesWithout)],
  );
}

function rowOf(name: string, times: readonly number[]): string[] {
  return [name, inS(median(times)), inS(Math.min(...times)), inS(Math.max(...times))];
}

/** Starts a stack, stops it again, and returns how long the start took. Throws a StartError when it ends instead. */
async function startMs(folder: string, isConsole: boolean, stop: AbortSignal): Promise<number> {
  stop.throwIfAborted();
  const from = performance.now();
  const child = spawn(process.execPath, [bootstrap, ...START], {
    stdio: 'ignore',
    // A process group of its own: Ctrl-C reaches only this process, which then stops the stack.
    detached: true,
    env: {
      ...process.env,
      DATABASE_URL: '',
      MEDIA_URL: '',
      PORT: '0',
      CONSOLE_PORT: '0',
      CONSOLE: isConsole ? '' : 'off',
      STACK_DIR: folder,
    },
  });
  const exit = once(child, 'exit');
  try {
    while (!(await readStackFile(folder))) {
      if (child.exitCode !== null) throw new StartError('A stack has not started.');
      await pause(POLL_MS, stop);
      stop.throwIfAborted();
    }
    return performance.now() - from;
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}
