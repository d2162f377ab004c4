import { readdir, readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessFigures {
  readonly parent: number;
  /** CPU time of all its threads. */
  readonly cpuMs: number;
  /** CPU time of the processes that it started and that have ended. */
  readonly endedCpuMs: number;
}

/** The processes of this machine at one moment. */
export type Processes = ReadonlyMap<number, ProcessFigures>;

/** Returns the processes of this machine by their pid; none where the system has no `/proc`. */
export async function readProcesses(): Promise<Processes> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(async (pid) => [pid, await figuresOf(pid)] as const));
  return new Map(all.flatMap(([pid, figures]) => (figures ? [[pid, figures]] : [])));
}

/** Returns `pid` and the processes that it started, directly and by others, but none of `others` nor what these started. */
export function treeOf(
  processes: Processes,
  pid: number,
  others: readonly number[] = [],
): number[] {
  if (others.includes(pid) || !processes.has(pid)) return [];
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => treeOf(processes, child, others))];
}

/** Returns the memory of processes together in MB. Of what they share, only the largest part of one of them counts. */
export async function memoryMbOf(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')),
  );
  const own = texts.map((text) => kilobytes(text, 'RssAnon'));
  const shared = texts.map((text) => kilobytes(text, 'RssFile') + kilobytes(text, 'RssShmem'));
  return ((own.reduce((sum, size) => sum + size, 0) + Math.max(0, ...shared)) * 1024) / 1e6;
}

/** Returns a figure of a process' status in kB, or 0 when it has ended. */
function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
}

/** Returns the figures of a process; undefined when it has ended, and where the system has no `/proc`. */
export async function figuresOf(pid: number): Promise<ProcessFigures | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name of the program is in brackets and may contain spaces: the fields after it are the third and later ones.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [
    1, 11, 12, 13, 14,
  ].map((index) => Number(fields[index]));
  return {
    parent,
    cpuMs: (user + system) * TICK_MS,
    endedCpuMs: (endedUser + endedSystem) * TICK_MS,
  };
}
