import { markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { traceVariants } from '../measure/traces.ts';
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
 * Measures each read at an API without traces, and at APIs that are traced in different ways, all on the database at `url`.
 * With `former`, also at the API of that commit. Each round measures all, and the variants of one read after another.
 */
export async function benchTracedReads(
  servers: Servers,
  { url, former }: { readonly url: string; readonly former: string | undefined },
  options: BenchOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const reads = await readsOf(url, servers);
  const measured: { readonly name: string; readonly reads: readonly MeasuredRead[] }[] = [];
  for (const { name, env: more, folder: from } of await traceVariants(former, stack)) {
    const server = await servers.startApi(url, { more, from });
    measured.push({ name, reads: measuredReadsOf(reads, server) });
  }
  const all = reads.map((_, index) =>
    measured.flatMap(({ name, reads: own }) => {
      const measuredRead = own[index];
      return measuredRead ? { name, measuredRead } : [];
    }),
  );
  const inOrder = all.flat().map(({ measuredRead }) => measuredRead);
  await runRounds(inOrder, options);
  const rows = all.flatMap((variants) =>
    variants.map(({ name, measuredRead }) => {
      const off = variants[0]?.measuredRead ?? measuredRead;
      return [
        measuredRead.read.name,
        name,
        perSecond(measuredRead).toFixed(0),
        ratio(measuredRead, off, rate),
        (median(measuredRead.samples.map(cost)) * 1000).toFixed(0),
        ratio(measuredRead, off, cost),
      ];
    }),
  );
  const head = ['read', 'traces', 'per second', 'ratio to off', 'CPU µs', 'ratio to off'];
  return markdownTable(head, rows);
}
