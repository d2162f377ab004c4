import { isDeepStrictEqual } from 'node:util';
import { provideCheckout } from '../measure/checkout.ts';
import { markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { keyedRead } from './keyed-read.ts';
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

export interface ReadsRequest {
  readonly url: string;
  /** A smaller database, with which the API is compared. */
  readonly smallUrl: string | undefined;
  /** A commit whose API is measured on the same database. */
  readonly former: string | undefined;
}

/** Measures everything in each round, one thing after another. */
export async function benchReads(
  servers: Servers,
  { url, smallUrl, former }: ReadsRequest,
  options: BenchOptions,
): Promise<string> {
  const reads = await readsOf(url, servers);
  const server = await servers.startApi(url);
  const api = measuredReadsOf(reads, server);
  const bare = measuredReadsOf(reads, await servers.startBare(url));
  const small =
    smallUrl === undefined
      ? []
      : measuredReadsOf(await readsOf(smallUrl, servers), await servers.startApi(smallUrl));
  const before =
    former === undefined
      ? []
      : measuredReadsOf(reads, await servers.startApi(url, {}, await provideCheckout(former)));
  const [, ofToken] = api;
  const ofKeys = ofToken
    ? measuredReadsOf([await keyedRead(ofToken.read, server, url)], server)
    : [];
  await expectSameAnswers(api, bare);
  // Next to the same read by tokens, so that both run under the same load of the machine.
  const ours = api.toSpliced(2, 0, ...ofKeys);
  await runRounds([...ours, ...bare, ...small, ...before], options);
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
  const [, first, deep] = api;
  return [
    markdownTable(head, rows),
    '',
    ...(first && deep ? compare(`${deep.read.name} /`, [deep], [first]) : []),
    ...(ofToken ? compare('by API keys / by tokens:', ofKeys, [ofToken]) : []),
    ...compare('many rows / 1,000,000:', api, small),
    ...compare(`this commit / ${former}:`, api, before),
  ].join('\n');
}

function compare(
  what: string,
  some: readonly MeasuredRead[],
  others: readonly MeasuredRead[],
): string[] {
  return others.map((other, index) => {
    const one = some[index] ?? other;
    return `${what} ${other.read.name}: ${ratio(one, other, rate)}, CPU ${ratio(one, other, cost)}`;
  });
}

/** Throws when the answers differ: a server that does less cannot be compared. */
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
