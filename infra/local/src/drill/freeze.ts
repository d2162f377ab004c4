import { hasCode } from '@session/kit';
import { run } from '../supervision/tool.ts';
import type { DrillStack } from './drill-stack.ts';

/** Freezes the processes of a stack whose names begin with `part`: like a machine that hangs. Disposal lets them go on. */
export async function freeze(stack: DrillStack, part: string): Promise<AsyncDisposable> {
  const found = Object.entries(await stack.pids()).filter(([name]) => name.startsWith(part));
  const parents = found.map(([, pid]) => pid);
  // A parent that is frozen first starts no further child.
  for (const pid of parents) send(pid, 'SIGSTOP');
  const children = (await Promise.all(parents.map(childrenOf))).flat();
  for (const pid of children) send(pid, 'SIGSTOP');
  const pids = [...parents, ...children];
  return {
    async [Symbol.asyncDispose]() {
      for (const pid of pids) send(pid, 'SIGCONT');
    },
  };
}

/** Returns the processes that `pid` has started: PostgreSQL has one for each connection. */
export async function childrenOf(pid: number): Promise<number[]> {
  let list = '';
  await run('ps', ['-A', '-o', 'pid=,ppid='], {
    onOutput(text) {
      list += text;
    },
  });
  const pairs = list.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** Sends the signal. A process that has just ended needs none. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
