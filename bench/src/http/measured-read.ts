import type { BenchOptions } from '../measure/bench-options.ts';
import type { LoadResult } from '../measure/load-job.ts';
import type { MeasuredProgram } from '../measure/measured-program.ts';
import { median, ratioText } from '../measure/statistics.ts';
import type { Read } from './reads.ts';
import type { Server } from './servers.ts';

const CONNECTIONS = 10;

export interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** One read at one server, with a sample for each round. */
export interface MeasuredRead {
  readonly read: Read;
  readonly server: Server;
  readonly samples: Sample[];
}

export function measuredReadsOf(reads: readonly Read[], server: Server): MeasuredRead[] {
  return reads.map((read) => ({ read, server, samples: [] }));
}

/** Measures each measuredRead once before the rounds, to warm it up; every second round goes backwards, so that no measuredRead is always first. */
export async function runRounds(
  load: MeasuredProgram,
  measuredReads: readonly MeasuredRead[],
  options: BenchOptions,
) {
  const { rounds, roundMs, progress, stop } = options;
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? measuredReads : measuredReads.toReversed();
    await progress.during(`Reads, round ${round} of ${rounds}`, async (note) => {
      for (const measuredRead of order) {
        stop.throwIfAborted();
        note(measuredRead.read.name);
        const sample = await measure(load, measuredRead, roundMs);
        if (round > 0) measuredRead.samples.push(sample);
      }
    });
  }
}

async function measure(
  load: MeasuredProgram,
  { read, server }: MeasuredRead,
  durationMs: number,
): Promise<Sample> {
  const { address, program } = server;
  const before = await program.usage();
  const { requests } = read;
  const job = { kind: 'flat out', connections: CONNECTIONS, address, requests };
  const { answers, elapsedMs } = await load.ask<LoadResult>({ ...job, durationMs });
  const after = await program.usage();
  const bad = answers.find(({ status }) => status !== 200);
  if (bad) throw new Error(`${read.name}: an answer is ${bad.status}`);
  const count = answers.length;
  return { perSecond: (count * 1000) / elapsedMs, cpuMs: (after.cpuMs - before.cpuMs) / count };
}

export const rate = (sample: Sample) => sample.perSecond;
export const cost = (sample: Sample) => sample.cpuMs;

export function perSecond({ samples }: MeasuredRead): number {
  return median(samples.map(rate));
}

/** Returns the median of the ratios within each round, with the least and the greatest. */
export function ratio(
  one: MeasuredRead,
  other: MeasuredRead,
  of: (sample: Sample) => number,
): string {
  return ratioText(one.samples.map(of), other.samples.map(of));
}
