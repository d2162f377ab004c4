import { performance } from 'node:perf_hooks';
import {
  type Database,
  listenForChanges,
  openDatabase,
  prepareRecorderQueries,
  prepareRecordingIntervalQueries,
  prepareSlotQueries,
} from '@session/db';
import type { FleetJob, FleetShare } from './fleet-job.ts';
import { SimulatedRecorder } from './simulated-recorder.ts';

// Simulates recorders in a process of its own: one process alone could not send the statements of a thousand.

const STATEMENT_LIMIT_MS = 120_000;
const times = { heartbeatsMs: [] as number[], roundsMs: [] as number[] };
const claimed: [sessionId: string, at: number][] = [];
let recorders: readonly SimulatedRecorder[] = [];

process.on('message', (job: FleetJob | 'usage') => {
  if (job === 'usage') return;
  const done = job.kind === 'open' ? open(job) : run(job.durationMs);
  void done.then((answer) => process.send?.(answer));
});
process.send?.('ready');

/** Connects to the database, so that no measurement contains it. */
async function open(job: FleetJob & { kind: 'open' }): Promise<object> {
  const { url, ids, connections } = job;
  const settings = { connections: 1, statementTimeoutMs: STATEMENT_LIMIT_MS };
  const databases = Array.from({ length: connections }, () => openDatabase(url, settings));
  await Promise.all(databases.map(({ sql }) => sql`select 1`));
  recorders = ids.map((id, index) => simulate(job, id, databases[index % connections]));
  await Promise.all(recorders.map((recorder) => listen(url, recorder)));
  return {};
}

function simulate(
  { url, recorders: all }: FleetJob & { kind: 'open' },
  id: string,
  database: Database = openDatabase(url),
): SimulatedRecorder {
  return new SimulatedRecorder({
    id,
    otherRecorders: all - 1,
    slots: prepareSlotQueries(database),
    intervals: prepareRecordingIntervalQueries(database),
    recorders: prepareRecorderQueries(database),
    times,
    claimed: (sessionId) => claimed.push([sessionId, Date.now()]),
  });
}

/** Each recorder listens on a connection of its own, as real ones do: each notification costs the database all of them. */
async function listen(url: string, recorder: SimulatedRecorder): Promise<void> {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  listenForChanges(url, ['session_changed'], {
    onChange: () => recorder.notified(),
    onListening: () => resolve(),
  });
  await listening;
}

async function run(durationMs: number): Promise<FleetShare> {
  const stop = AbortSignal.timeout(durationMs);
  const before = performance.eventLoopUtilization();
  await Promise.all(recorders.map((recorder) => recorder.run(stop)));
  return { ...times, claimed, busy: performance.eventLoopUtilization(before).utilization };
}
