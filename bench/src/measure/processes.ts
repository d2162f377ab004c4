import { readdir, readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessFigures {
  readonly parent: number;
  readonly cpuMs: number;
  /** CPU time of the processes that it started and that have ended. */
  readonly endedCpuMs: number;
}

type Processes = ReadonlyMap<number, ProcessFigures>;

/**
 * Returns the CPU time that the processes have used in all; NaN where the system has no `/proc`. An ended process counts
 * as 0.
 */
export async function cpuMsOf(pids: readonly number[]): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const figures = await Promise.all(pids.map(figuresOf));
  return sumOf(figures, (one) => one?.cpuMs ?? 0);
}

/** Returns NaN for an ended process, and where the system has no `/proc`. */
export async function rssMbOf(pid: number): Promise<number> {
  return (kilobytes(await statusOf(pid), 'VmRSS', Number.NaN) * 1024) / 1e6;
}

export interface ProcessGroup {
  readonly name: string;
  readonly pid: number;
  /** What is measured: the process alone (`first`), what it started, directly or indirectly (`started`), or both. */
  readonly part: 'all' | 'first' | 'started';
  /** Processes to leave out, with everything that they started. */
  readonly others?: readonly number[];
}

export interface GroupUsage {
  readonly name: string;
  readonly processes: number;
  /**
   * The group's share of one core: on average, and at most between two samples. NaN where the system does not report it.
   */
  readonly share: number;
  readonly mostShare: number;
  readonly mostMb: number;
}

interface Running {
  readonly cpuMs: number;
  readonly usedMs: number;
  readonly processes: number;
  readonly mostShare: number;
  readonly mostMb: number;
}

export class ProcessMeter {
  readonly #groups: () => Promise<readonly ProcessGroup[]>;
  readonly #running = new Map<string, Running>();
  #beganAt = Number.NaN;
  #sampledAt = Number.NaN;

  /** `groups` returns the present groups: a process that ended may have been started again. */
  constructor(groups: () => Promise<readonly ProcessGroup[]>) {
    this.#groups = groups;
  }

  async sample(): Promise<void> {
    const groups = await this.#groups();
    const processes = await readProcesses();
    const now = performance.now();
    const elapsedMs = now - this.#sampledAt;
    for (const { name, pid, part, others } of groups) {
      const tree = treeOf(processes, pid, others);
      const pids = { all: tree, first: tree.slice(0, 1), started: tree.slice(1) }[part];
      const own = sumOf(pids, (each) => processes.get(each)?.cpuMs ?? 0);
      const ended =
        part === 'first' ? 0 : sumOf(tree, (each) => processes.get(each)?.endedCpuMs ?? 0);
      const cpuMs = processes.size === 0 ? Number.NaN : own + ended;
      const before = this.#running.get(name);
      // A process that was started again begins at zero.
      const usedMs = before ? Math.max(0, cpuMs - before.cpuMs) : 0;
      this.#running.set(name, {
        cpuMs,
        usedMs: (before?.usedMs ?? 0) + usedMs,
        processes: pids.length,
        mostShare: before ? Math.max(before.mostShare, usedMs / elapsedMs) : 0,
        mostMb: Math.max(before?.mostMb ?? 0, await memoryMbOf(pids)),
      });
    }
    if (Number.isNaN(this.#beganAt)) this.#beganAt = now;
    this.#sampledAt = now;
  }

  get elapsedMs(): number {
    return this.#sampledAt - this.#beganAt;
  }

  usages(): GroupUsage[] {
    return [...this.#running].map(([name, { usedMs, processes, mostShare, mostMb }]) => {
      return { name, processes, mostShare, mostMb, share: usedMs / this.elapsedMs };
    });
  }
}

async function readProcesses(): Promise<Processes> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(async (pid) => [pid, await figuresOf(pid)] as const));
  return new Map(all.flatMap(([pid, figures]) => (figures ? [[pid, figures]] : [])));
}

function treeOf(processes: Processes, pid: number, others: readonly number[] = []): number[] {
  if (others.includes(pid) || !processes.has(pid)) return [];
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => treeOf(processes, child, others))];
}

/**
 * Returns the memory of the processes together, in MB. Of shared memory, only the largest share of any one process
 * counts.
 */
async function memoryMbOf(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map(statusOf));
  const own = sumOf(texts, (text) => kilobytes(text, 'RssAnon'));
  const shared = texts.map((text) => kilobytes(text, 'RssFile') + kilobytes(text, 'RssShmem'));
  return ((own + Math.max(0, ...shared)) * 1024) / 1e6;
}

async function statusOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
}

function kilobytes(status: string, name: string, absent = 0): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? absent);
}

/** Returns undefined when the process has ended, and where the system has no `/proc`. */
async function figuresOf(pid: number): Promise<ProcessFigures | undefined> {
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

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
