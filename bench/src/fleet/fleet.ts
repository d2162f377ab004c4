import path from 'node:path';
import { openDatabase } from '@session/db';
import { aborted } from '@session/kit';
import { MeasuredProgram } from '../measure/measured-program.ts';
import { cpuMsOf, machineIdle } from '../measure/process-cpu.ts';
import { backendsOf, createSessions, storeFleet } from './fleet-data.ts';
import type { FleetJob, FleetShare, Times } from './fleet-job.ts';
import { HEARTBEAT_MS } from './simulated-recorder.ts';

const file = path.join(import.meta.dirname, 'fleet-process.ts');

export interface Fleet {
  readonly recorders: number;
  /** How many sessions each recorder holds. */
  readonly rooms: number;
  /** How many connections all recorders share, beside one for each recorder that listens. */
  readonly connections: number;
  /** How many processes simulate the recorders. */
  readonly simulators: number;
  /** The time between two new sessions, each of which wakes all recorders. */
  readonly newSessionEveryMs: number;
  readonly durationMs: number;
}

export interface FleetResult extends Times {
  /** How many heartbeats the recorders send when nothing holds them up. */
  readonly heartbeatsDue: number;
  /** From the request for a new session until a recorder has claimed it. */
  readonly claimedMs: readonly number[];
  /** New sessions that no recorder had claimed at the end. */
  readonly unclaimed: number;
  readonly elapsedMs: number;
  /** The CPU time of the database's processes; NaN where the system does not say. */
  readonly databaseCpuMs: number;
  readonly simulatorsCpuMs: number;
  /** The share of time in which the busiest simulator had no time to wait. */
  readonly simulatorBusy: number;
  /** The share of all cores' time in which they had nothing to do. */
  readonly machineIdle: number;
}

/** Fills an empty database with recorders and what they hold, then lets them beat, look for slots and be woken for a while. */
export async function runFleet(url: string, fleet: Fleet, stop: AbortSignal): Promise<FleetResult> {
  const ids = await storeFleet(url, fleet);
  await using stack = new AsyncDisposableStack();
  const creator = stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 120_000 }));
  await creator.sql`select 1`;
  const simulators = await startSimulators(url, fleet, ids, stack);
  const cpuMs = async () =>
    (await Promise.all(simulators.map((one) => one.usage()))).reduce(
      (sum, one) => sum + one.cpuMs,
      0,
    );
  const pids = await backendsOf(creator);
  const before = { database: await cpuMsOf(pids), simulators: await cpuMs() };
  const [began, idle] = [performance.now(), machineIdle()];
  const job: FleetJob = { kind: 'run', durationMs: fleet.durationMs };
  const ending = AbortSignal.any([stop, AbortSignal.timeout(fleet.durationMs)]);
  const running = Promise.all([
    Promise.all(simulators.map((one) => one.ask<FleetShare>(job))),
    createSessions(creator, fleet.newSessionEveryMs, ending),
  ]);
  await Promise.race([running, aborted(stop)]);
  stop.throwIfAborted();
  const [shares, created] = await running;
  const elapsedMs = performance.now() - began;
  const claimedAt = new Map(shares.flatMap(({ claimed }) => claimed));
  const claimedMs = [...created].flatMap(
    ([id, at]) => (claimedAt.get(id) ?? Number.NaN) - at || [],
  );
  return {
    heartbeatsMs: shares.flatMap((share) => share.heartbeatsMs),
    roundsMs: shares.flatMap((share) => share.roundsMs),
    heartbeatsDue: (fleet.recorders * elapsedMs) / HEARTBEAT_MS,
    claimedMs,
    unclaimed: created.size - claimedMs.length,
    elapsedMs,
    machineIdle: idle(),
    databaseCpuMs: (await cpuMsOf(pids)) - before.database,
    simulatorsCpuMs: (await cpuMs()) - before.simulators,
    simulatorBusy: Math.max(...shares.map(({ busy }) => busy)),
  };
}

/** Starts the processes, each with an equal share of recorders and connections, all connected. */
async function startSimulators(
  url: string,
  { simulators, connections, recorders }: Fleet,
  ids: readonly string[],
  stack: AsyncDisposableStack,
): Promise<readonly MeasuredProgram[]> {
  const start = async (own: readonly string[]) => {
    const program = stack.use(await MeasuredProgram.start(file, {}));
    const open: FleetJob = {
      kind: 'open',
      url,
      ids: own,
      connections: Math.ceil(connections / simulators),
      recorders,
    };
    await program.ask(open);
    return program;
  };
  const shares = Array.from({ length: simulators }, (_, one) =>
    ids.filter((_id, index) => index % simulators === one),
  );
  const programs: MeasuredProgram[] = [];
  for (const share of shares) programs.push(await start(share));
  return programs;
}
