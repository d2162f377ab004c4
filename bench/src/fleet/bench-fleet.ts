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
const FLEET = { rooms: 200, connections: 40, simulators: 4, durationMs: 20_000 };
const FLEETS: readonly Fleet[] = [
  { ...FLEET, recorders: 10, newSessionEveryMs: 1000 },
  { ...FLEET, recorders: 100, newSessionEveryMs: 1000 },
  // As if each session lasted ten minutes.
  { ...FLEET, recorders: 100, newSessionEveryMs: 30 },
  { ...FLEET, recorders: 1000, newSessionEveryMs: 1000 },
];
/** One for each recorder that listens, the shared ones, and some for the bench itself. */
const MAX_CONNECTIONS = 1100;
const HEAD = [
  'recorders, sessions, new /s',
  'heartbeats /s of those due, p50, p99',
  'rounds /s, p50, p99',
  'new session claimed after, p50, longest, unclaimed',
  'cores of the database',
  'if all were sent',
  'cores of the simulators, busiest',
  'machine idle',
  'limited by',
];
/** Fewer heartbeats than this part of those due mean that something limited the fleet. */
const ENOUGH = 0.95;
/** A simulator that is busy for longer than this part of the time sends late. */
const BUSY = 0.8;
/** A machine that is idle for less than this part of the time limits everything that runs there. */
const IDLE = 0.05;

/**
 * Measures what recorders ask of the database while nobody talks: heartbeats, rounds in which they look for slots, and new sessions
 * that wake all of them. The recorders are simulated, by several processes; the database is real. The last column tells what
 * the simulation could not send from what the database could not answer. Throws a StartError when another bench is running in
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
  const args = [...spec.args, '-c', `max_connections=${MAX_CONNECTIONS}`];
  await using _ = await Service.start(
    { ...spec, args },
    serviceHostOf(folder, table, { progress, stop }),
  );
  const rows: string[][] = [];
  for (const fleet of FLEETS) {
    stop.throwIfAborted();
    const measure = async () =>
      await runFleet(await freshDatabase(adminUrl, 'bench_fleet'), fleet, stop);
    const name = `A fleet of ${fleet.recorders} recorders`;
    rows.push(cells(fleet, await progress.during(name, measure)));
  }
  yield `## fleet\n\n${machine}\n\n${markdownTable(HEAD, rows)}\n`;
}

function cells(fleet: Fleet, result: FleetResult): string[] {
  const { recorders, rooms, newSessionEveryMs } = fleet;
  const { heartbeatsMs, heartbeatsDue, roundsMs, claimedMs, elapsedMs, unclaimed } = result;
  const perSecond = (count: number) => ((count * 1000) / elapsedMs).toFixed(0);
  const databaseCores = result.databaseCpuMs / elapsedMs;
  const simulatorCores = result.simulatorsCpuMs / elapsedMs;
  return [
    `${recorders}, ${recorders * rooms}, ${(1000 / newSessionEveryMs).toFixed(0)}`,
    `${perSecond(heartbeatsMs.length)} of ${perSecond(heartbeatsDue)}, ${times(heartbeatsMs, 0.99)}`,
    `${perSecond(roundsMs.length)}, ${times(roundsMs, 0.99)}`,
    `${times(claimedMs, 1)}, ${unclaimed}`,
    databaseCores.toFixed(2),
    ((databaseCores * heartbeatsDue) / heartbeatsMs.length).toFixed(2),
    `${simulatorCores.toFixed(2)}, ${inPercent(result.simulatorBusy)}`,
    inPercent(result.machineIdle),
    limitOf(result),
  ];
}

/** Returns what kept the recorders from sending their heartbeats in time. */
export function limitOf(
  result: Pick<FleetResult, 'heartbeatsDue' | 'heartbeatsMs' | 'machineIdle' | 'simulatorBusy'>,
): string {
  if (result.heartbeatsMs.length >= ENOUGH * result.heartbeatsDue) return 'nothing';
  if (result.machineIdle < IDLE) return 'this machine';
  return result.simulatorBusy > BUSY ? 'the simulation' : 'the database';
}

/** Returns the median and the value below which the part `last` of them lies. */
function times(values: readonly number[], last: number): string {
  return `${inMs(percentile(values, 0.5))}, ${inMs(percentile(values, last))}`;
}

function inPercent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
