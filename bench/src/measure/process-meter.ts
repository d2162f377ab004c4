import { memoryMbOf, readProcesses, treeOf } from './process-tree.ts';

/** Processes that are measured together. */
export interface ProcessGroup {
  readonly name: string;
  readonly pid: number;
  /** What counts: the process alone, what it started, directly and by others, or both. */
  readonly part: 'all' | 'first' | 'started';
  /** These do not count, nor what they started. */
  readonly others?: readonly number[];
}

/** What a group used since its first sample. */
export interface GroupUsage {
  readonly name: string;
  /** How many processes it had at the last sample. */
  readonly processes: number;
  /** Its part of one core, on average and between the two samples with the most. NaN where the system does not say. */
  readonly share: number;
  readonly mostShare: number;
  /** The most memory at any sample, in MB. */
  readonly mostMb: number;
}

interface Running {
  cpuMs: number;
  usedMs: number;
  processes: number;
  mostShare: number;
  mostMb: number;
}

/** Measures the CPU time and the memory of groups of processes, from one sample to the next. */
export class ProcessMeter {
  readonly #groups: () => Promise<readonly ProcessGroup[]>;
  readonly #running = new Map<string, Running>();
  #beganAt = Number.NaN;
  #sampledAt = Number.NaN;

  /** `groups` returns the groups as they are now: a process that ended may have been started again. */
  constructor(groups: () => Promise<readonly ProcessGroup[]>) {
    this.#groups = groups;
  }

  /** Measures now. The first sample begins the measurement. */
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

  /** How long it has measured, in milliseconds. */
  get elapsedMs(): number {
    return this.#sampledAt - this.#beganAt;
  }

  /** Returns what each group used, in the order of the groups. */
  usages(): GroupUsage[] {
    return [...this.#running].map(([name, { usedMs, processes, mostShare, mostMb }]) => {
      return { name, processes, mostShare, mostMb, share: usedMs / this.elapsedMs };
    });
  }
}

function sumOf(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + of(pid), 0);
}
