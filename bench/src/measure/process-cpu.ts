import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { figuresOf } from './process-tree.ts';

/** Returns the CPU time that the processes have used in all; NaN where the system has no `/proc`. Ended processes count nothing. */
export async function cpuMsOf(pids: readonly number[]): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const figures = await Promise.all(pids.map(figuresOf));
  return sumOf(figures.map((one) => one?.cpuMs ?? 0));
}

/** Returns the resident set of a process in MB; NaN where the system has no `/proc`. */
export async function rssMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6;
}

/** Begins to measure the machine. The returned function returns the share of all cores' time since then in which they were idle. */
export function machineIdle(): () => number {
  const before = coreTimes();
  return () => {
    const { idle, all } = coreTimes();
    return (idle - before.idle) / (all - before.all);
  };
}

function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  return {
    idle: sumOf(times.map(({ idle }) => idle)),
    all: sumOf(times.flatMap((one) => Object.values(one))),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
