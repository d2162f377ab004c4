import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '@session/db';
import { StartError } from '@session/kit';
import { firstFreePort, ProcessTable, preparePostgres, Service } from '@session/local';
import type { BenchOptions } from '../measure/bench-options.ts';
import { freshDatabase } from '../measure/fresh-database.ts';
import { serviceHostOf } from '../measure/service-host.ts';
import { median, percentile } from '../measure/statistics.ts';
import { inS, markdownTable } from '../measure/table.ts';
import { type Crowd, type CrowdResult, claimAtOnce, insertFreeSlots } from './claim-crowd.ts';

const HOST = '127.0.0.1';
const FREE: Crowd = { sessions: 20_000, recorders: 100, dead: 0, connections: 40, capacity: 220 };
/** 80 recorders must be able to take all sessions. */
const DEAD: Crowd = { ...FREE, dead: 20, capacity: 260 };
const CROWDS = { 'all slots are free': FREE, '20 of 100 recorders are dead': DEAD };
const HEAD = [
  'round',
  'all',
  'left',
  'claims',
  'median',
  'p99',
  'longest',
  'slots claimed by each',
];
/** A round that takes longer than this has failed: the goal is 15 s. */
const ROUND_LIMIT_MS = 60_000;

/**
 * Measures how long 100 recorders that start at the same time need to claim 20,000 free slots, and how long 80 need to claim
 * the 4,000 slots of 20 others that died at the same time, on a PostgreSQL of its own.
 * Throws a StartError when another bench is running in that `folder`.
 */
export async function* benchClaims(folder: string, options: BenchOptions): AsyncGenerator<string> {
  await mkdir(folder, { recursive: true });
  await using table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new StartError('Another bench is running.');
  const { rounds, progress, stop } = options;
  const port = await firstFreePort([], HOST);
  const home = { folder: path.join(folder, 'postgres'), host: HOST, port, password: 'bench' };
  const { spec, url: adminUrl } = await preparePostgres(home);
  await using _ = await Service.start(spec, serviceHostOf(folder, table, options));
  const url = await freshDatabase(adminUrl, 'bench_claims');
  await progress.during('Storing 20,000 sessions', async () => {
    await migrate(url);
    await insertFreeSlots(url, FREE.sessions);
  });
  for (const [name, crowd] of Object.entries(CROWDS)) {
    const rows: string[][] = [];
    for (let round = 1; round <= rounds; round += 1) {
      stop.throwIfAborted();
      const limit = AbortSignal.any([stop, AbortSignal.timeout(ROUND_LIMIT_MS)]);
      const measure = () => claimAtOnce(url, crowd, limit);
      const result = await progress.during(`Claims, ${name}: ${round} of ${rounds}`, measure);
      rows.push([String(round), ...cells(result)]);
    }
    yield `## claims: ${name}\n\n${markdownTable(HEAD, rows)}\n`;
  }
}

function cells({ totalMs, left, claimsMs, loads }: CrowdResult): string[] {
  return [
    inS(totalMs),
    String(left),
    String(claimsMs.length),
    inMs(median(claimsMs)),
    inMs(percentile(claimsMs, 0.99)),
    inMs(Math.max(...claimsMs)),
    `${Math.min(...loads)} to ${Math.max(...loads)}`,
  ];
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
