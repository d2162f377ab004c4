import { type Command, RESTART_DELAYS_MS } from '@session/agents';
import { type Listening, listenForChanges, releaseLease } from '@session/db';
import type { FastifyBaseLogger } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { WebhookSender } from '../webhooks/webhook-request.ts';
import { ActingAgents } from './acting/acting-agents.ts';
import { findAgentProgram } from './agent-programs.ts';
import { BackgroundLease } from './background-lease.ts';
import { carryOutErasures } from './erasures/carry-out-erasures.ts';
import { createFollowerMarking } from './followers/follower-marking.ts';
import { deleteClosedRooms } from './housekeeping/closed-rooms.ts';
import { createSessionMarking } from './housekeeping/deleted-projects.ts';
import {
  deleteExpiredKeys,
  deleteExpiredLinks,
  deleteOldAuditEvents,
  deleteOldEvents,
  deleteRows,
  forgetEndedTokens,
} from './housekeeping/deleted-rows.ts';
import { FailedIds } from './housekeeping/failed-ids.ts';
import { type Chores, Housekeeping } from './housekeeping/housekeeping.ts';
import { closeIdleSessions, idleCheckMs } from './housekeeping/idle-sessions.ts';
import { watchTimeline } from './housekeeping/replaced-database.ts';
import { resealAgentSecrets } from './housekeeping/reseal-agent-secrets.ts';
import { createResealing } from './housekeeping/reseal-templates.ts';
import { Retention } from './housekeeping/retention.ts';
import { sendOutRemovedMembers, sendOutStoppedAgents } from './housekeeping/send-out.ts';
import {
  deleteWebhookRows,
  markUnnamedSessions,
  resealWebhooks,
} from './housekeeping/webhook-rows.ts';
import { Reconciler, type ReconcilerTiming } from './reconciler/reconciler.ts';
import type { AgentLimits } from './reconciler/supervision.ts';
import { SearchWork } from './search/search-work.ts';
import { SequenceWork } from './sequences/sequence-work.ts';
import { ShutdownBudget } from './shutdown-budget.ts';
import { WebhookWork } from './webhooks/webhook-work.ts';

const LEASE_NAME = 'background';
const CHORE_MS = 1000;
/** Each check asks the media server about every open room from which an agent that stopped is still barred. */
const STOPPED_AGENTS_MS = 3000;
const RARE_CHORE_MS = 60_000;

/**
 * `flushMs`: how old a log line may become before it is stored. `retryMs`: the pause after a failure of the database.
 * When this process ends, it waits up to `shutdownMs` in all for the database, and up to `shutdownGraceMs` for agents
 * that cannot outlive it.
 */
export interface BackgroundSettings {
  readonly timing: ReconcilerTiming;
  readonly limits: AgentLimits;
  readonly renewMs: number;
  readonly flushMs: number;
  readonly retryMs: number;
  readonly shutdownMs: number;
  readonly shutdownGraceMs: number;
  readonly findProgram: (program: string) => Command | undefined;
}

export const BACKGROUND_SETTINGS: BackgroundSettings = {
  timing: { pollMs: 30_000, startingPollMs: 250, retryMs: 1000 },
  limits: {
    startTimeoutMs: 120_000,
    maxDurationMs: 86_400_000,
    graceSeconds: 10,
    logTimeoutMs: 5000,
    announceTimeoutMs: 5000,
    restartDelaysMs: RESTART_DELAYS_MS,
    externalPollMs: 2000,
    externalGraceMs: 20_000,
    externalWaitMs: 600_000,
  },
  renewMs: 5000,
  flushMs: 1000,
  retryMs: 500,
  shutdownMs: 4000,
  shutdownGraceMs: 5000,
  findProgram: findAgentProgram,
};

/**
 * Starts the reconciler, the housekeeping, the acts of agents and, if `config.hasFollowers`, the followers. Only the
 * leading API process starts agents, carries out their acts and does chores. Disposal ends this work, and the agents
 * that cannot outlive this process. Throws a StartError when the launcher cannot be used.
 */
export async function openBackground(
  deps: Deps,
  log: FastifyBaseLogger,
  settings: BackgroundSettings = BACKGROUND_SETTINGS,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const processId = uuidv7();
  const { launcher, deadProcessIds } = stack.use(
    await openLauncher(deps, processId, log, settings),
  );
  // A killed process on this machine could not release its lease. The work would pause until the lease expires.
  const { config, database } = deps;
  await Promise.all(deadProcessIds.map((deadId) => releaseLease(database, LEASE_NAME, deadId)));
  const shutdown = new ShutdownBudget(settings.shutdownMs);
  const lease = stack.use(
    new BackgroundLease({
      database,
      name: LEASE_NAME,
      processId,
      renewMs: settings.renewMs,
      shutdown,
      log,
    }),
  );
  const isLeading = () => lease.isHeld;
  const reconciler = stack.use(
    new Reconciler({
      ...deps,
      ...settings,
      agents: config.agents,
      media: { ...config.media, url: config.agents.mediaUrl },
      launcher,
      isLeading,
      ledSince: () => lease.heldSince,
      shutdown,
      log,
    }),
  );
  const acting = stack.use(new ActingAgents({ ...deps, isLeading, shutdown, log }));
  const wake = () => {
    reconciler.wake();
    acting.agentsChanged();
  };
  lease.onGained(wake);
  for (const [everyMs, chores] of choresOf(deps, log)) {
    stack.use(new Housekeeping({ chores, everyMs, isLeading, shutdown, log }));
  }
  const webhooks = config.hasFollowers
    ? openFollowers(stack, { ...deps, shutdown, log })
    : undefined;
  const stored = (sessionIds: string) => {
    webhooks?.stored(sessionIds);
    acting.stored(sessionIds);
  };
  const listener: Listening = {
    onChange(channel, id) {
      if (channel === 'messages_stored') stored(id);
      else wake();
    },
    onListening(channel) {
      if (channel === 'messages_stored') stored('');
      else wake();
    },
  };
  const channels = ['agent_changed', 'session_changed', 'messages_stored'] as const;
  stack.use(listenForChanges(config.databaseDirectUrl, channels, listener));
  return stack.move();
}

function openFollowers(
  stack: AsyncDisposableStack,
  deps: Deps & { readonly shutdown: ShutdownBudget; readonly log: FastifyBaseLogger },
): WebhookWork {
  const sender = stack.use(new WebhookSender(deps.config.webhooks.networks));
  const search = stack.use(new SearchWork(deps));
  const sequences = stack.use(new SequenceWork(deps));
  const onSearchBehind = () => search.wake();
  const onSequencesBehind = () => sequences.wake();
  return stack.use(new WebhookWork({ ...deps, sender, onSearchBehind, onSequencesBehind }));
}

async function openLauncher(
  { config, version }: Deps,
  processId: string,
  log: FastifyBaseLogger,
  { findProgram, limits: { maxDurationMs }, shutdownGraceMs }: BackgroundSettings,
) {
  return await config.agents.launcher.open({
    version,
    findProgram,
    processId,
    maxDurationMs,
    shutdownGraceMs,
    onFailure: (error) => log.warn({ err: error }, 'watching workloads of agents failed'),
    onWarning: (message) => log.warn(message),
  });
}

function choresOf(deps: Deps, log: FastifyBaseLogger): [everyMs: number, Chores][] {
  const { idleCloseMs } = deps.config.sessions;
  const retention = new Retention(deps);
  const [failedRooms, failedSessions] = [new FailedIds(), new FailedIds()];
  const idle: [number, Chores] = [
    idleCheckMs(idleCloseMs),
    { 'close idle sessions': () => closeIdleSessions(deps, idleCloseMs) },
  ];
  return [
    [
      CHORE_MS,
      {
        'delete rooms of closed sessions': (stop) => deleteClosedRooms(deps, failedRooms, { stop }),
        'send out removed members': () => sendOutRemovedMembers(deps),
        'carry out erasures': () => carryOutErasures(deps),
        'mark sessions of deleted projects': createSessionMarking(deps),
        'delete rows of deleted sessions and projects': () => deleteRows(deps, {}, failedSessions),
        'delete expired idempotency keys': () => deleteExpiredKeys(deps),
        'delete history past its retention': () => retention.work(),
        'delete old audit events': () => deleteOldAuditEvents(deps),
        'delete old events of sessions': () => deleteOldEvents(deps),
        'mark all sessions in which followers are behind': createFollowerMarking(deps),
        'watch which server holds the database': () => watchTimeline(deps, log),
      },
    ],
    [STOPPED_AGENTS_MS, { 'send out stopped agents': () => sendOutStoppedAgents(deps) }],
    [
      RARE_CHORE_MS,
      {
        'delete expired links': () => deleteExpiredLinks(deps),
        'forget ended tokens': () => forgetEndedTokens(deps),
        'seal templates with the current key': createResealing(deps, log),
        'seal the values of agents with the current key': () => resealAgentSecrets(deps),
        'seal the secrets of webhooks with the current key': () => resealWebhooks(deps),
        'delete rows of webhooks': () => deleteWebhookRows(deps),
        'mark sessions that no notification named': (stop) => markUnnamedSessions(deps, stop),
      },
    ],
    ...(idleCloseMs > 0 ? [idle] : []),
  ];
}
