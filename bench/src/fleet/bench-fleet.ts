import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import { firstFreePort, ProcessTable, preparePostgres, Service } from '@session/local';
import type { BenchOptions } from '../measure/bench-options.ts';
import { freshDatabase } from '../measure/fresh-database.ts';
import { machineText } from '../measure/machine.ts';
import { serviceHostOf } from '../measure/service-host.ts';
import { percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { type Fleet, type FleetResult, runFleet } from './fleet.ts';

const HOST = '127.0.0.1';
const FLEET = { rooms: 200, connections: 40, newSessionEveryMs: 1000, durationMs: 20_000 };
const SIZES = [10, 100, 1000];
const HEAD = [
  'recorders',
  'sessions',
  'heartbeats /s',
  'p50',
  'p99',
  'rounds /s',
  'p50',
  'p99',
  'new session claimed after, p50',
  'longest',
  'unclaimed',
  'cores of the database',
];

/**
 * Measures what recorders ask of the database while nobody talks: heartbeats, rounds in which they look for slots, and new sessions
 * that wake all of them. The recorders are simulated, the database is real. Throws a StartError when another bench is running in
 * that `folder`.
 */
export async function* benchFleet(
  folder: string,
  { progress, stop }: Pick<BenchOptions, 'progress' | 'stop'>,
): AsyncGenerator<string> {
  const machine = machineText();
  await mkdir(folder, { recursive: true });
  await using table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new StartError('Another bench is running.');
  const port = await firstFreePort([], HOST);
  const home = { folder: path.join(folder, 'postgres'), host: HOST, port, password: 'bench' };
  const { spec, url: adminUrl } = await preparePostgres(home);
  await using _ = await Service.start(spec, serviceHostOf(folder, table, { progress, stop }));
  const rows: string[][] = [];
  for (const recorders of SIZES) {
    stop.throwIfAborted();
    const fleet = { ...FLEET, recorders };
    const measure = async () =>
      await runFleet(await freshDatabase(adminUrl, 'bench_fleet'), fleet, stop);
    rows.push(cells(fleet, await progress.during(`A fleet of ${recorders} recorders`, measure)));
  }
  yield `## fleet\n\n${machine}\n\n${markdownTable(HEAD, rows)}\n`;
}

function cells({ recorders, rooms }: Fleet, result: FleetResult): string[] {
  const { heartbeatsMs, roundsMs, claimedMs, elapsedMs, databaseCpuMs, unclaimed } = result;
  const perSecond = (count: number) => ((count * 1000) / elapsedMs).toFixed(0);
  return [
    String(recorders),
    String(recorders * rooms),
    perSecond(heartbeatsMs.length),
    inMs(percentile(heartbeatsMs, 0.5)),
    inMs(percentile(heartbeatsMs, 0.99)),
    perSecond(roundsMs.length),
    inMs(percentile(roundsMs, 0.5)),
    inMs(percentile(roundsMs, 0.99)),
    inMs(percentile(claimedMs, 0.5)),
    inMs(Math.max(...claimedMs)),
    String(unclaimed),
    (databaseCpuMs / elapsedMs).toFixed(2),
  ];
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
