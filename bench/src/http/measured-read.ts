import { median, ratioText } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { sendByClients } from './load.ts';
import type { Read } from './reads.ts';
import type { Server } from './servers.ts';

/** As many as the servers have connections to the database. */
const CLIENTS = 10;

interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
}

export interface MeasuredRead {
  readonly read: Read;
  readonly server: Server;
  readonly samples: Sample[];
}

export function measuredReadsOf(reads: readonly Read[], server: Server): MeasuredRead[] {
  return reads.map((read) => ({ read, server, samples: [] }));
}

export async function runRounds(all: readonly MeasuredRead[], options: BenchOptions) {
  const { rounds, roundMs, progress, stop } = options;
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? all : all.toReversed();
    await progress.during(`Reads, round ${round} of ${rounds}`, async (note) => {
      for (const measuredRead of order) {
        stop.throwIfAborted();
        note(measuredRead.read.name);
        const sample = await measure(measuredRead, roundMs);
        if (round > 0) measuredRead.samples.push(sample);
      }
    });
  }
}

async function measure({ read, server }: MeasuredRead, durationMs: number): Promise<Sample> {
  const { address, program } = server;
  const { requests } = read;
  const before = await program.usage();
  const { answers, elapsedMs } = await sendByClients({ address, requests, durationMs }, CLIENTS);
  const after = await program.usage();
  const bad = answers.find(({ status }) => status !== 200);
  if (bad) throw new Error(`${read.name}: an answer is ${bad.status}: ${bad.problem}`);
  const count = answers.length;
  return { perSecond: (count * 1000) / elapsedMs, cpuMs: (after.cpuMs - before.cpuMs) / count };
}

export const rate = (sample: Sample) => sample.perSecond;
export const cost = (sample: Sample) => sample.cpuMs;

export function perSecond({ samples }: MeasuredRead): number {
  return median(samples.map(rate));
}

export function ratio(
  one: MeasuredRead,
  other: MeasuredRead,
  of: (sample: Sample) => number,
): string {
  return ratioText(one.samples.map(of), other.samples.map(of));
}
