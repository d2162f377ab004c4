import {
  countAgents,
  countFollowers,
  countRecorders,
  countRecording,
  type DatabaseAccess,
} from '@session/db';
import { withDeadline } from '@session/kit';
import { Gauge, type Registry } from 'prom-client';
import { DATABASE_TIMEOUT_MS } from './database-metrics.ts';
import { Recent } from './recent.ts';

/** For how long figures of the whole service are used again: several servers may scrape, each often. */
const SERVICE_FIGURES_MS = 5000;

export interface ServiceMetricsOptions {
  readonly registry: Registry;
  readonly database: DatabaseAccess;
}

/**
 * Adds the figures of the whole service, which the database has. The returned function updates them, and never throws. They are
 * absent while the database is away (`isUp` is false). A count that does not come in time is absent alone.
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
  const webhookSessions = gauge(
    'session_webhook_sessions',
    'Sessions in which a webhook is behind, at most 1,000 of each webhook: `due` now, or `waiting` for the next attempt or for the end of a request.',
    'state',
  );
  const overdue = gauge(
    'session_webhook_overdue_seconds',
    'For how long the first `due` session of `session_webhook_sessions` has been due.',
  );
  const agentCounts = recentOf(() => countAgents(database));
  const recordingCounts = recentOf(() => countRecording(database));
  const recorderCounts = recentOf(() => countRecorders(database));
  const followerCounts = recentOf(() => countFollowers(database));
  return async (isUp) => {
    const [byStatus, recording, byState, following] = isUp
      ? await Promise.all([agentCounts(), recordingCounts(), recorderCounts(), followerCounts()])
      : [];
    for (const metric of [agents, unrecorded, recorders, webhookSessions]) metric.reset();
    for (const metric of [active, underRecorded, unclaimed, overdue]) metric.remove();
    if (following) {
      const { waiting, due, overdueSeconds } = following;
      show(webhookSessions, { due, waiting: waiting - due });
      overdue.set(overdueSeconds);
    }
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

function recentOf<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  const recent = new Recent(read, SERVICE_FIGURES_MS);
  return async () => await withDeadline(recent.value(), DATABASE_TIMEOUT_MS).catch(() => undefined);
}

function show<Label extends string>(
  gauge: Gauge<Label>,
  counts: Readonly<Record<string, number>>,
): void {
  for (const [value, count] of Object.entries(counts)) gauge.labels(value).set(count);
}
