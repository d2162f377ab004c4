import type { Command } from '@session/agents';
import { listenForChanges } from '@session/db';
import type { FastifyBaseLogger } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { deleteClosedRooms } from './housekeeping/closed-rooms.ts';
import { deleteRows } from './housekeeping/deleted-rows.ts';
import { deleteExpiredKeys } from './housekeeping/expired-keys.ts';
import { Housekeeping } from './housekeeping/housekeeping.ts';
import { closeIdleSessions, idleLookMs } from './housekeeping/idle-sessions.ts';
import { sendOutRemovedMembers } from './housekeeping/removed-members.ts';
import { resealTemplates } from './housekeeping/reseal-templates.ts';
import { openLauncher } from './launchers/agent-launcher.ts';
import { findAgentProgram } from './launchers/agent-programs.ts';
import { Leadership } from './leadership.ts';
import { Reconciler, type ReconcilerTiming } from './reconciler/reconciler.ts';
import type { AgentLimits } from './reconciler/supervised-agent.ts';
import { ShutdownBudget } from './shutdown-budget.ts';

const LEASE = 'background';
const RESEAL_MS = 60_000;

/** All intervals in one place: a test brings shorter ones. */
export interface BackgroundSettings {
  readonly timing: ReconcilerTiming;
  readonly limits: AgentLimits;
  readonly renewMs: number;
  readonly flushMs: number;
  readonly retryMs: number;
  /** What all that is left to be written gets when we end. */
  readonly shutdownMs: number;
  /** What agents get to end when we do. */
  readonly patienceMs: number;
  /** Gives the command of an agent's program, or undefined when it is not installed. */
  readonly findProgram: (program: string) => Command | undefined;
}

export const BACKGROUND_SETTINGS: BackgroundSettings = {
  timing: { everyMs: 30_000, startingMs: 250, retryMs: 1000 },
  limits: {
    startTimeoutMs: 120_000,
    maxDurationMs: 86_400_000,
    graceSeconds: 10,
    logTimeoutMs: 5000,
    announceMs: 5000,
  },
  renewMs: 5000,
  flushMs: 1000,
  retryMs: 500,
  shutdownMs: 4000,
  patienceMs: 5000,
  findProgram: findAgentProgram,
};

/**
 * Starts what belongs to no request: the agents, which run as their rows say, and the housekeeping. One process at a time
 * leads in both. Gives what ends it, and the agents that cannot outlive it. Throws a StartError when there is no place for
 * agents to run.
 */
export async function openBackground(
  deps: Deps,
  log: FastifyBaseLogger,
  settings: BackgroundSettings = BACKGROUND_SETTINGS,
): Promise<AsyncDisposable> {
  const { agents, agentLogs, agentTimeline, config, leases, rooms } = deps;
  const { mediaUrl, hasMediaKeys } = config.agents;
  const media = { ...config.media, url: mediaUrl };
  const holder = uuidv7();
  await using stack = new AsyncDisposableStack();
  const { maxDurationMs } = settings.limits;
  const own = { version: deps.version, ownerId: holder, maxDurationMs, log };
  // The reconciler ends it before all else.
  const { launcher, predecessors } = stack.use(await openLauncher(config, { ...settings, ...own }));
  // What was killed on this machine cannot renew its lease: nobody needs to wait until that has run out.
  await Promise.all(predecessors.map((id) => leases.releaseLease(LEASE, id)));
  const shutdown = new ShutdownBudget(settings.shutdownMs);
  const leadership = new Leadership({ ...settings, leases, name: LEASE, holder, shutdown, log });
  stack.use(leadership);
  const { envTemplates, planTemplates, vault } = deps;
  const rows = { agents, agentLogs, agentTimeline, envTemplates, planTemplates };
  const world = { ...rows, vault, rooms, media, hasMediaKeys, launcher, leadership, log };
  const reconciler = stack.use(new Reconciler({ ...settings, ...world, shutdown }));
  leadership.onGained(() => reconciler.nudge());
  const chores = {
    'delete rooms of closed sessions': () => deleteClosedRooms(deps),
    'send out removed members': () => sendOutRemovedMembers(deps),
    'delete rows of deleted sessions and projects': () => deleteRows(deps),
    'delete expired idempotency keys': () => deleteExpiredKeys(deps),
  };
  const isLeading = () => leadership.isHeld;
  stack.use(new Housekeeping({ chores, isLeading, shutdown, log }));
  const sealing = { 'seal templates with the present key': () => resealTemplates(deps) };
  const seals = { chores: sealing, everyMs: RESEAL_MS };
  stack.use(new Housekeeping({ ...seals, isLeading, shutdown, log }));
  const { idleCloseMs } = config.sessions;
  if (idleCloseMs > 0) {
    const rarely = { 'close idle sessions': () => closeIdleSessions(deps, idleCloseMs) };
    const everyMs = idleLookMs(idleCloseMs);
    stack.use(new Housekeeping({ chores: rarely, isLeading, everyMs, shutdown, log }));
  }
  const nudge = () => reconciler.nudge();
  const listening = { onChange: nudge, onListening: nudge };
  stack.use(listenForChanges(config.databaseUrl, ['agent_changed', 'session_changed'], listening));
  return stack.move();
}
