import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import { firstFreePort, ProcessTable, preparePostgres, Service } from '@session/local';
import type { BenchOptions } from '../measure/bench-options.ts';
import { serviceHostOf } from '../measure/service-host.ts';
import { benchLogins } from './bench-logins.ts';
import { benchReads } from './bench-reads.ts';
import { benchTracedReads } from './bench-traced-reads.ts';
import { benchWaiting } from './bench-waiting.ts';
import { provideRows } from './load-rows.ts';
import { Servers } from './servers.ts';

const HOST = '127.0.0.1';
export const DEFAULT_ROWS = 1_000_000;

/** The parts that are measured when none is named. */
export const PARTS = ['reads', 'logins', 'waiting'] as const;
export const ALL_PARTS = [...PARTS, 'traces'] as const;
export type Part = (typeof ALL_PARTS)[number];

/**
 * Measures `parts` of the API over HTTP, on a database of `rows` messages, and yields each result as Markdown. The databases
 * stay in `folder` for the next run. Throws a StartError when another bench is running.
 */
export async function* benchHttp(
  folder: string,
  {
    rows,
    parts,
    former,
  }: {
    readonly rows: number;
    readonly parts: readonly Part[];
    readonly former: string | undefined;
  },
  options: BenchOptions,
): AsyncGenerator<string> {
  const { progress, stop } = options;
  await mkdir(folder, { recursive: true });
  await using table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new StartError('Another bench is running.');
  const port = await firstFreePort([], HOST);
  const postgres = { folder: path.join(folder, 'postgres'), host: HOST, port, password: 'bench' };
  const database = await progress.during('Starting PostgreSQL', () => preparePostgres(postgres));
  await using stack = new AsyncDisposableStack();
  const host = serviceHostOf(folder, table, options);
  stack.use(await Service.start(database.spec, host));
  const provide = (count: number) =>
    progress.during(`Loading ${count.toLocaleString('en')} messages`, (note) =>
      // Ten million messages take minutes: each step is an opportunity to stop.
      provideRows(database.url, count, (step) => {
        stop.throwIfAborted();
        note(step);
      }),
    );
  const url = await provide(rows);
  const hasFewer = rows > DEFAULT_ROWS && parts.includes('reads');
  const smallUrl = hasFewer ? await provide(DEFAULT_ROWS) : undefined;
  const benches: Record<Part, (servers: Servers) => Promise<string>> = {
    reads: (servers) => benchReads(servers, { url, smallUrl }, options),
    logins: (servers) => benchLogins(servers, url, options),
    waiting: (servers) => benchWaiting(servers, url, options),
    traces: (servers) => benchTracedReads(servers, { url, former }, options),
  };
  for (const part of parts) {
    await using servers = new Servers(folder);
    yield `## ${part}, ${rows.toLocaleString('en')} messages\n\n${await benches[part](servers)}\n`;
  }
}
