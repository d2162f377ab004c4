import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '@session/kit';
import { run } from './tool.ts';

const BETWEEN_LISTS_MS = 10;

/** Reads pids line by line. Sends SIGCONT to all of them when the writer closes the pipe or ends. */
const GUARD = 'pids=; while read -r pid; do pids="$pids $pid"; done; kill -CONT $pids';

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Stopped or ended, so that it can start no child. */
  readonly isAtRest: boolean;
}

/** Freezes processes with all descendants. They continue at disposal, and when this process is killed. */
export async function freezeFamilies(pids: readonly number[]): Promise<AsyncDisposable> {
  const guard = spawn('sh', ['-c', GUARD], {
    // Its own process group: Ctrl-C reaches only this process.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(guard, 'spawn');
  const ended = once(guard, 'exit');
  // A guard that was killed reads nothing, and is not needed at disposal.
  guard.stdin.on('error', () => {});
  const frozen: number[] = [];
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    for (const pid of frozen) sendSignal(pid, 'SIGCONT');
    guard.stdin.end();
    await ended;
  });
  await stopFamilies(pids, (pid) => {
    guard.stdin.write(`${pid}\n`);
    frozen.push(pid);
  });
  return parts.move();
}

export async function killFamily(pid: number): Promise<void> {
  const family: number[] = [];
  await stopFamilies([pid], (member) => family.push(member));
  for (const member of family) sendSignal(member, 'SIGKILL');
}

export async function childrenOf(pid: number): Promise<number[]> {
  return childrenIn(await listProcesses(), [pid]);
}

/** Stops processes before their children: a stopped process starts no further child. */
async function stopFamilies(pids: readonly number[], onStop: (pid: number) => void): Promise<void> {
  if (pids.length === 0) return;
  for (const pid of pids) {
    onStop(pid);
    sendSignal(pid, 'SIGSTOP');
  }
  // A process that is just starting a child stops after that.
  while (!(await areAtRest(pids))) await sleep(BETWEEN_LISTS_MS);
  await stopFamilies(childrenIn(await listProcesses(), pids), onStop);
}

async function areAtRest(pids: readonly number[]): Promise<boolean> {
  const running = (await listProcesses()).filter(({ isAtRest }) => !isAtRest);
  return !running.some(({ pid }) => pids.includes(pid));
}

function childrenIn(processes: readonly ListedProcess[], parents: readonly number[]): number[] {
  return processes.flatMap(({ pid, parent }) => (parents.includes(parent) ? [pid] : []));
}

async function listProcesses(): Promise<ListedProcess[]> {
  let list = '';
  await run('ps', ['-A', '-o', 'pid=,ppid=,stat='], {
    onOutput(text) {
      list += text;
    },
  });
  return list.split('\n').map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), isAtRest: /^[TtZ]/.test(state) };
  });
}
