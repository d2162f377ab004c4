import { isDeepStrictEqual } from 'node:util';
import { markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import {
  cost,
  type MeasuredRead,
  measuredReadsOf,
  perSecond,
  rate,
  ratio,
  runRounds,
} from './measured-read.ts';
import { readsOf } from './reads.ts';
import type { Servers } from './servers.ts';

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
  const api = measuredReadsOf(reads, await servers.startApi(url));
  const bare = measuredReadsOf(reads, await servers.startBare(url));
  const small =
    smallUrl === undefined
      ? []
      : measuredReadsOf(await readsOf(smallUrl, servers), await servers.startApi(smallUrl));
  await expectSameAnswers(api, bare);
  await runRounds([...api, ...bare, ...small], options);
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
