import { isDeepStrictEqual } from 'node:util';
import type { LoadResult } from '../measure/load-job.ts';
import type { Program } from '../measure/program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { BenchOptions } from './bench-options.ts';
import { type Read, readsOf } from './reads.ts';
import type { Server, Servers } from './servers.ts';

const CONNECTIONS = 10;

interface Sample {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** One read by one server, and what was measured of it, a sample for each round. */
interface Lane {
  readonly read: Read;
  readonly server: Server;
  readonly samples: Sample[];
}

/**
 * Measures each read at the API and at the bare server, which both have the database at `url`, and says how they compare; with
 * `smallUrl`, a smaller database, also the API on that one. In each round all are measured, one after the other.
 */
export async function benchReads(
  servers: Servers,
  { url, smallUrl }: { url: string; smallUrl: string | undefined },
  options: BenchOptions,
): Promise<string> {
  const reads = await readsOf(url, servers);
  const load = await servers.startLoad();
  const api = lanesOf(reads, await servers.startApi(url));
  const bare = lanesOf(reads, await servers.startBare(url));
  const small =
    smallUrl === undefined
      ? []
      : lanesOf(await readsOf(smallUrl, servers), await servers.startApi(smallUrl));
  await expectSameAnswers(api, bare);
  await runRounds(load, [...api, ...bare, ...small], options);
  const rows = api.map((lane, index) => {
    const other = bare[index] ?? lane;
    return [
      lane.read.name,
      ...[lane, other].map((one) => perSecond(one).toFixed(0)),
      ratio(lane, other, rate),
      ...[lane, other].map((one) => (median(one.samples.map(cost)) * 1000).toFixed(0)),
      ratio(other, lane, cost),
    ];
  });
  const head = ['read', 'API/s', 'bare/s', 'ratio', 'API µs', 'bare µs', 'ratio of CPU'];
  return [markdownTable(head, rows), '', ...comparisons(api, small)].join('\n');
}

function lanesOf(reads: readonly Read[], server: Server): Lane[] {
  return reads.map((read) => ({ read, server, samples: [] }));
}

/** The second page of a long session beside its first, and many rows beside few. */
function comparisons(api: readonly Lane[], small: readonly Lane[]): string[] {
  const [, first, deep] = api;
  const lines: string[] = [];
  if (first && deep)
    lines.push(`${deep.read.name} / ${first.read.name}: ${ratio(deep, first, rate)}`);
  for (const [index, lane] of small.entries()) {
    const large = api[index] ?? lane;
    lines.push(`${lane.read.name}, many rows / 1,000,000: ${ratio(large, lane, rate)}`);
  }
  return lines;
}

/** Each lane once before the rounds, to warm it up; every second round goes backwards, so that no lane is always first. */
async function runRounds(load: Program, lanes: readonly Lane[], options: BenchOptions) {
  const { rounds, roundMs, progress, stop } = options;
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? lanes : lanes.toReversed();
    await progress.during(`Reads, round ${round} of ${rounds}`, async (note) => {
      for (const lane of order) {
        stop.throwIfAborted();
        note(lane.read.name);
        const sample = await measure(load, lane, roundMs);
        if (round > 0) lane.samples.push(sample);
      }
    });
  }
}

async function measure(load: Program, { read, server }: Lane, durationMs: number): Promise<Sample> {
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

function perSecond({ samples }: Lane): number {
  return median(samples.map(rate));
}

/** The median of the ratios within each round, and the least and the greatest. */
function ratio(one: Lane, other: Lane, of: (sample: Sample) => number): string {
  const ratios = one.samples.flatMap((sample, round) => {
    const beside = other.samples[round];
    return beside ? of(sample) / of(beside) : [];
  });
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`;
}

/** A server that does less would be no measure. */
async function expectSameAnswers(lanes: readonly Lane[], others: readonly Lane[]): Promise<void> {
  for (const [index, lane] of lanes.entries()) {
    const answers = [lane, others[index] ?? lane].map(async ({ read, server }) => {
      const { path, headers } = read.requests[0] ?? { path: '/', headers: {} };
      return JSON.parse(await (await fetch(server.address + path, { headers })).text());
    });
    const [ours, theirs] = await Promise.all(answers);
    if (!isDeepStrictEqual(theirs, ours)) throw new Error(`${lane.read.name}: the answers differ`);
  }
}
