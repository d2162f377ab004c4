import { isDeepStrictEqual } from 'node:util';
import type { BenchOptions } from '../measure/bench-options.ts';
import type { LoadResult } from '../measure/load-job.ts';
import type { MeasuredProgram } from '../measure/measured-program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { type Read, readsOf } from './reads.ts';
import type { Server, Servers } from './servers.ts';

const CONNECTIONS = 10;

interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** One read at one server, with a sample for each round. */
interface MeasuredRead {
  readonly read: Read;
  readonly server: Server;
  readonly samples: Sample[];
}

/**
 * Measures each read at the API and at the bare server, both on the database at `url`, and returns how they compare. With
 * `smallUrl`, a smaller database, it also compares the API on both databases. Each round measures all, one after another.
 */
export async function benchReads(
  servers: Servers,
  { url, smallUrl }: { url: string; smallUrl: string | undefined },
  options: BenchOptions,
): Promise<string> {
  const reads = await readsOf(url, servers);
  const load = await servers.startLoad();
  const api = measuredReadsOf(reads, await servers.startApi(url));
  const bare = measuredReadsOf(reads, await servers.startBare(url));
  const small =
    smallUrl === undefined
      ? []
      : measuredReadsOf(await readsOf(smallUrl, servers), await servers.startApi(smallUrl));
  await expectSameAnswers(api, bare);
  await runRounds(load, [...api, ...bare, ...small], options);
  const rows = api.map((measuredRead, index) => {
    const other = bare[index] ?? measuredRead;
    return [
      measuredRead.read.name,
      ...[measuredRead, other].map((one) => perSecond(one).toFixed(0)),
      ratio(measuredRead, other, rate),
      ...[measuredRead, other].map((one) => (median(one.samples.map(cost)) * 1000).toFixed(0)),
      ratio(other, measuredRead, cost),
    ];
  });
  const head = ['read', 'API/s', 'bare/s', 'ratio', 'API µs', 'bare µs', 'ratio of CPU'];
  return [markdownTable(head, rows), '', ...comparisons(api, small)].join('\n');
}

function measuredReadsOf(reads: readonly Read[], server: Server): MeasuredRead[] {
  return reads.map((read) => ({ read, server, samples: [] }));
}

/** Returns how the deep page of a long session compares with its first page, and many rows with few. */
function comparisons(api: readonly MeasuredRead[], small: readonly MeasuredRead[]): string[] {
  const [, first, deep] = api;
  const lines: string[] = [];
  if (first && deep)
    lines.push(`${deep.read.name} / ${first.read.name}: ${ratio(deep, first, rate)}`);
  for (const [index, measuredRead] of small.entries()) {
    const large = api[index] ?? measuredRead;
    lines.push(
      `${measuredRead.read.name}, many rows / 1,000,000: ${ratio(large, measuredRead, rate)}`,
    );
  }
  return lines;
}

/** Each measuredRead once before the rounds, to warm it up; every second round goes backwards, so that no measuredRead is always first. */
async function runRounds(
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

const rate = (sample: Sample) => sample.perSecond;
const cost = (sample: Sample) => sample.cpuMs;

function perSecond({ samples }: MeasuredRead): number {
  return median(samples.map(rate));
}

/** Returns the median of the ratios within each round, with the least and the greatest. */
function ratio(one: MeasuredRead, other: MeasuredRead, of: (sample: Sample) => number): string {
  const ratios = one.samples.flatMap((sample, round) => {
    const beside = other.samples[round];
    return beside ? of(sample) / of(beside) : [];
  });
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`;
}

/** Throws when the answers differ: a server that does less is no comparison. */
async function expectSameAnswers(
  measuredReads: readonly MeasuredRead[],
  others: readonly MeasuredRead[],
): Promise<void> {
  for (const [index, measuredRead] of measuredReads.entries()) {
    const answers = [measuredRead, others[index] ?? measuredRead].map(async ({ read, server }) => {
      const { path, headers } = read.requests[0] ?? { path: '/', headers: {} };
      return JSON.parse(await (await fetch(server.address + path, { headers })).text());
    });
    const [ours, theirs] = await Promise.all(answers);
    if (!isDeepStrictEqual(theirs, ours))
      throw new Error(`${measuredRead.read.name}: the answers differ`);
  }
}
