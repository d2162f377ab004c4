import { countAgents, countRecorders, countRecording } from '@session/db';
import { Gauge } from 'prom-client';
import { addDeletionMetrics } from './deletion-metrics.ts';
import { addErasureMetrics } from './erasure-metrics.ts';
import { addFollowerMetrics } from './follower-metrics.ts';
import { addReplacementMetrics } from './replacement-metrics.ts';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

/**
 * Adds metrics of the whole service. The returned function updates them from the database, and never throws. A figure that
 * does not come in time is absent.
 */
export function addServiceMetrics({
  registry,
  database,
}: ServiceMetricsOptions): (isUp: boolean) => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const agents = gauge('session_agents', 'Agents that have not stopped, by status.', 'status');
  const active = gauge('session_active_sessions', 'ACTIVE sessions.');
  const unrecorded = gauge(
    'session_unrecorded_sessions',
    'Sessions that are ACTIVE for 15 s, and that no recorder records now: the recorder is `reconnecting`, all have given up for now (`lost`), or the session is `waiting` for a recorder.',
    'state',
  );
  const underRecorded = gauge(
    'session_under_recorded_sessions',
    'Sessions that are ACTIVE for 15 s, and that at least one recorder records now, but fewer than asked.',
  );
  const unclaimed = gauge(
    'session_unclaimed_slots',
    'Slots of ACTIVE sessions that no live recorder holds.',
  );
  const recorders = gauge(
    'session_recorders',
    'Recorders: `live`; `draining`; `late`, without a heartbeat for 2 s; `dead`, ended without draining in the last hour.',
    'state',
  );
  const more = [addDeletionMetrics, addErasureMetrics, addFollowerMetrics, addReplacementMetrics];
  const shows = more.map((add) => add({ registry, database }));
  const agentCounts = recentOf(() => countAgents(database));
  const recordingCounts = recentOf(() => countRecording(database));
  const recorderCounts = recentOf(() => countRecorders(database));
  return async (isUp) => {
    const others = Promise.all(shows.map((showMore) => showMore(isUp)));
    const [byStatus, recording, byState] = isUp
      ? await Promise.all([agentCounts(), recordingCounts(), recorderCounts()])
      : [];
    await others;
    for (const metric of [agents, unrecorded, recorders]) metric.reset();
    for (const metric of [active, underRecorded, unclaimed]) metric.remove();
    if (byStatus)
      show(agents, {
        ...NO_AGENTS,
        ...Object.fromEntries(byStatus.map(({ status, count }) => [status, count])),
      });
    if (byState)
      show(recorders, {
        ...NO_RECORDERS,
        ...Object.fromEntries(byState.map(({ state, count }) => [state, count])),
      });
    if (!recording) return;
    active.set(recording.active);
    show(unrecorded, recording.unrecorded);
    underRecorded.set(recording.underRecorded);
    unclaimed.set(recording.unclaimedSlots);
  };
}

const NO_AGENTS = { Starting: 0, Running: 0 };
const NO_RECORDERS = { live: 0, draining: 0, late: 0, dead: 0 };

function show<Label extends string>(
  gauge: Gauge<Label>,
  counts: Readonly<Record<string, number>>,
): void {
  for (const [value, count] of Object.entries(counts)) gauge.labels(value).set(count);
}
