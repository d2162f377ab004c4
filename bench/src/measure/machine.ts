import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Returns a sentence about this machine and what else it does now. */
export function machineText(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return `${availableParallelism()} cores of ${model}, ${memory}, Node ${process.versions.node}, a load of ${load} before`;
}
