import {
  countAgents,
  countErasures,
  countFollowers,
  countRecorders,
  countRecording,
  countReplacements,
  type DatabaseAccess,
  readDeletionAge,
} from '@session/db';
import { withDeadline } from '@session/kit';
import { Gauge, type Registry } from 'prom-client';
import { DATABASE_TIMEOUT_MS } from './database-metrics.ts';
import { Recent } from './recent.ts';

const SERVICE_FIGURES_MS = 5000;

interface ServiceMetricsOptions {
  readonly registry: Registry;
  readonly database: DatabaseAccess;
}

/**
 * Adds metrics of the whole service. The returned function updates them from the database, and never throws. Figures
 * that arrive too late are absent.
 */
export function addServiceMetrics(
  options: ServiceMetricsOptions,
): (isUp: boolean) => Promise<void> {
  const updates = FIGURES.map((add) => add(options));
  return async (isUp) => {
    await Promise.all(updates.map(async (update) => await update(isUp)));
  };
}

type Figure = (options: ServiceMetricsOptions) => (isUp: boolean) => Promise<void>;

interface ShownAs<Value> {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly of: (value: Value) => number | Readonly<Record<string, number>>;
}

function figure<Value>(
  read: (database: DatabaseAccess) => Promise<Value>,
  shownAs: readonly ShownAs<Value>[],
): Figure {
  return ({ registry, database }) => {
    const recent = new Recent(() => read(database), SERVICE_FIGURES_MS);
    const updates = shownAs.map((shown) => addGauge(registry, shown));
    return async (isUp) => {
      const value = isUp
        ? await withDeadline(recent.value(), DATABASE_TIMEOUT_MS).catch(() => undefined)
        : undefined;
      for (const update of updates) update(value);
    };
  };
}

function followersOf(kind: 'search' | 'sequence' | 'webhook') {
  return async (database: DatabaseAccess) => await countFollowers(database, kind);
}

function addGauge<Value>(
  registry: Registry,
  { name, help, label, of }: ShownAs<Value>,
): (value: Value | undefined) => void {
  const labelNames = label === undefined ? [] : [label];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  return (value) => {
    // `reset` sets a gauge without labels to 0.
    if (label === undefined) gauge.remove();
    else gauge.reset();
    if (value === undefined) return;
    const shown = of(value);
    if (typeof shown === 'number') gauge.set(shown);
    else for (const [key, count] of Object.entries(shown)) gauge.labels(key).set(count);
  };
}

const FIGURES: readonly Figure[] = [
  figure(countAgents, [
    {
      name: 'session_agents',
      help: 'Agents that have not stopped, by status.',
      label: 'status',
      of: (counts) => ({
        Starting: 0,
        Running: 0,
        ...Object.fromEntries(counts.map(({ status, count }) => [status, count])),
      }),
    },
  ]),
  figure(countRecording, [
    { name: 'session_active_sessions', help: 'ACTIVE sessions.', of: ({ active }) => active },
    {
      name: 'session_unrecorded_sessions',
      help: 'Sessions that are ACTIVE for 15 s, and that no recorder records now: the recorder is `reconnecting`, all have given up for now (`lost`), or the session is `waiting` for a recorder.',
      label: 'state',
      of: ({ unrecorded }) => unrecorded,
    },
    {
      name: 'session_under_recorded_sessions',
      help: 'Sessions that are ACTIVE for 15 s, and that at least one recorder records now, but fewer than asked.',
      of: ({ underRecorded }) => underRecorded,
    },
    {
      name: 'session_unclaimed_slots',
      help: 'Slots of ACTIVE sessions that no live recorder holds.',
      of: ({ unclaimedSlots }) => unclaimedSlots,
    },
  ]),
  figure(countRecorders, [
    {
      name: 'session_recorders',
      help: 'Recorders: `live`; `draining`; `late`, without a heartbeat for 2 s; `dead`, ended without draining in the last hour.',
      label: 'state',
      of: (counts) => ({
        live: 0,
        draining: 0,
        late: 0,
        dead: 0,
        ...Object.fromEntries(counts.map(({ state, count }) => [state, count])),
      }),
    },
  ]),
  figure(readDeletionAge, [
    {
      name: 'session_deletions_seconds',
      help: 'The age of the oldest deletion of a session whose rows are not all deleted yet, or of a project that still has ACTIVE sessions; 0 without one.',
      of: (seconds) => seconds,
    },
  ]),
  figure(countErasures, [
    {
      name: 'session_erasures',
      help: 'Erasures that are not done: `running`, or `waiting` for recorders.',
      label: 'status',
      of: ({ running, waiting }) => ({ running, waiting }),
    },
    {
      name: 'session_erasures_seconds',
      help: 'The age of the oldest erasure that is not done; 0 without one.',
      of: ({ seconds }) => seconds,
    },
  ]),
  figure(followersOf('webhook'), [
    {
      name: 'session_webhook_sessions',
      help: 'Sessions in which a webhook is behind, at most 1,000 of each webhook: `due` now, or `waiting` for the next attempt or for the end of a request.',
      label: 'state',
      of: ({ waiting, due }) => ({ due, waiting: waiting - due }),
    },
    {
      name: 'session_webhook_overdue_seconds',
      help: 'For how long the first `due` session of `session_webhook_sessions` has been due.',
      of: ({ overdueSeconds }) => overdueSeconds,
    },
  ]),
  figure(followersOf('search'), [
    {
      name: 'session_search_sessions',
      help: 'Sessions in which the search index is behind, at most 1,000.',
      of: ({ waiting }) => waiting,
    },
    {
      name: 'session_search_behind_seconds',
      help: 'How far the search index is behind: the age of the newest message in the session of `session_search_sessions` that waits longest.',
      of: ({ overdueSeconds }) => overdueSeconds,
    },
  ]),
  figure(followersOf('sequence'), [
    {
      name: 'session_sequence_sessions',
      help: 'Sessions with new messages whose sequence numbers are not read yet, at most 1,000.',
      of: ({ waiting }) => waiting,
    },
    {
      name: 'session_sequence_behind_seconds',
      help: 'For how long the first session of `session_sequence_sessions` that any process may read has waited.',
      of: ({ overdueSeconds }) => overdueSeconds,
    },
  ]),
  figure(countReplacements, [
    {
      name: 'session_database_replacements',
      help: 'How often in the last day another server took over the database (a promoted standby, a restored backup), without `after-restore` since.',
      of: (count) => count,
    },
  ]),
];
