import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The lock of this machine. The kernel releases it when its holder ends, however that ends. */
const LOCK = '/run/session-images.lock';
/** The exit code of flock when another process has the lock. */
const TAKEN = 75;
export const OWN_PROCESSES = [
  '--mount',
  '--pid',
  '--ipc',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

export interface RunAloneOptions {
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
  readonly lock?: string;
}

/**
 * Runs a program of this repository with processes, mounts and shared memory of its own, and returns its exit code. Only one such
 * program runs on a machine at a time; this function reports that it waits for another one. When the program ends or is killed,
 * the kernel ends all that it has started, containers included, and unmounts all that it has mounted. The program must stop at the
 * end of its standard input, which comes when `stop` aborts or this process is killed.
 */
export async function runAlone(
  program: string,
  args: readonly string[],
  { stop, say, lock = LOCK }: RunAloneOptions,
): Promise<number> {
  const line = [lock, 'unshare', ...OWN_PROCESSES, process.execPath, '--conditions=@source'];
  const now = ['--nonblock', `--conflict-exit-code=${TAKEN}`];
  const code = await runLocked([...now, ...line, program, ...args], stop);
  if (code !== TAKEN || stop.aborted) return code;
  say('The tests of the images run on this machine already. Waiting for their end …');
  return await runLocked([...line, program, ...args], stop);
}

async function runLocked(args: readonly string[], stop: AbortSignal): Promise<number> {
  const child = spawn('flock', ['--no-fork', ...args], { stdio: ['pipe', 'inherit', 'inherit'] });
  const end = () => {
    // The signal ends flock while it waits. unshare ignores the signal.
    child.kill('SIGTERM');
    child.stdin.end();
  };
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  const [code] = await once(child, 'exit');
  stop.removeEventListener('abort', end);
  return typeof code === 'number' ? code : 1;
}
