import {
  type AgentLaunch,
  type AgentLauncher,
  type AgentState,
  LaunchDelayed,
  LaunchRefused,
  nextState,
  type Problem,
  STOP_REASONS,
  type Workload,
} from '@session/agents';
import type { AgentQueries, AgentTimelineQueries, LiveAgentRow } from '@session/db';
import { describeError, pause } from '@session/kit';
import { agentIdentity, isForeign, type RoomService } from '@session/media';
import type { FastifyBaseLogger } from 'fastify';
import { type LaunchSource, launchOf } from './launch.ts';
import { LogKeeper, type LogKeeperOptions } from './log-keeper.ts';
import { createMask, MASK, type Mask } from './mask.ts';
import { type TemplateSource, templateVariables } from './template-variables.ts';

/** What an agent is held to. Each is an argument, so that tests need not wait. */
export interface AgentLimits {
  /** From the request, or from when we began to lead, until it is in its room. */
  readonly startTimeoutMs: number;
  readonly maxDurationMs: number;
  /** What a program gets to end when it is asked to. */
  readonly graceSeconds: number;
  /** How long its end may wait for the rest of its log. */
  readonly logTimeoutMs: number;
  /** How long one that is in its room may take to announce itself: who does not know how is believed after that. */
  readonly announceMs: number;
}

export interface AgentWorld extends Omit<LogKeeperOptions, 'mask'>, TemplateSource, LaunchSource {
  readonly agents: AgentQueries;
  readonly agentTimeline: Pick<AgentTimelineQueries, 'noteStartTimes'>;
  readonly launcher: AgentLauncher;
  readonly rooms: Pick<RoomService, 'listParticipants'>;
  readonly limits: AgentLimits;
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info' | 'warn'>;
}

/**
 * One agent that has not stopped, and what this process remembers of it. Only a whole look at its row and its workload
 * changes anything, so a look that fails is simply repeated.
 */
export class SupervisedAgent implements AsyncDisposable {
  readonly #world: AgentWorld;
  readonly #since = performance.now();
  #logs: LogKeeper | undefined;
  /** Of the values that it was started with: its template may have changed since. */
  #mask: Mask | undefined;
  /** Whether it was started here and has not been seen yet: then its absence means nothing. */
  #isAwaited = false;
  /** Why it could not be started, or found in its room, so far. */
  #problem: string | undefined;
  /** The same, when it is known what it is called if it never changes. */
  #delay: LaunchDelayed | undefined;
  /** When it was first seen to be active in its room. */
  #activeSince: number | undefined;

  constructor(world: AgentWorld) {
    this.#world = world;
  }

  /**
   * Takes the one step that brings the agent closer to what its row wants, and its row to what is seen of it. Throws when
   * the database, the launcher or the media server fails; what was not done is done the next time.
   */
  async reconcile(row: LiveAgentRow, workload: Workload): Promise<void> {
    const state = stateOf(row);
    if (workload.phase !== 'absent') {
      this.#isAwaited = false;
      await this.#noteTimes(row);
      this.#logs ??= new LogKeeper(row.id, { ...this.#world, mask: await this.#maskOf(row) });
    } else if (!this.#isAwaited) {
      const isToStart = state.reason === null && row.startedAt === null;
      return isToStart ? await this.#start(row, state) : await this.#conclude(row, state, workload);
    }
    if (workload.phase === 'ended') return await this.#conclude(row, state, workload);
    await this.#oversee(row, state, workload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#logs?.[Symbol.asyncDispose]();
  }

  get #ageMs(): number {
    return performance.now() - this.#since;
  }

  /** Looks after one that is there and has not ended. */
  async #oversee(row: LiveAgentRow, state: AgentState, workload: Workload): Promise<void> {
    const { agents, launcher, limits } = this.#world;
    const isStarting = row.status === 'Starting';
    if (row.startedAt === null && state.reason === null) {
      // Whoever started it was cut off in the middle, or could not note it any more.
      if (workload.phase === 'waiting') return await this.#start(row, state);
      await agents.markAgentStarted(row.id);
    }
    if (state.reason !== null) {
      await launcher.stop(row.id, limits.graceSeconds);
    } else if (isStarting && (await this.#isInRoom(row))) {
      await this.#update(row, nextState(state, { phase: 'joined' }));
    } else if (isStarting && this.#ageMs > limits.startTimeoutMs) {
      const problem = workload.phase === 'waiting' ? workload.problem : undefined;
      await this.#giveUp(row, state, problem ?? this.#lateness());
    } else if (this.#ageMs > limits.maxDurationMs) {
      const detail = `It has run for ${limits.maxDurationMs / 1000} s, as long as it may.`;
      await this.#giveUp(row, state, { reason: 'max_duration', detail });
    }
  }

  async #start(row: LiveAgentRow, state: AgentState): Promise<void> {
    const { agents, launcher, limits, log } = this.#world;
    if (this.#ageMs > limits.startTimeoutMs) {
      return await this.#conclude(row, { ...state, ...this.#lateness() }, { phase: 'absent' });
    }
    try {
      const variables = await templateVariables(row, this.#world);
      this.#mask = this.#maskFor(variables);
      const lifetimeSeconds = limits.maxDurationMs / 1000;
      await this.#launch(await launchOf(row, variables, this.#world, lifetimeSeconds));
    } catch (error) {
      if (!(error instanceof LaunchRefused)) throw error;
      const { reason: cause, detail } = error;
      // What has been made of it before.
      await launcher.stop(row.id, limits.graceSeconds);
      return await this.#conclude(row, state, { phase: 'ended', exitCode: null, cause, detail });
    }
    await agents.markAgentStarted(row.id);
    log.info({ agentId: row.id, sessionId: row.sessionId, role: row.role }, 'agent started');
  }

  /** Notes why it could not be started, for its user: what the launcher says, never what the database does. */
  async #launch(launch: AgentLaunch): Promise<void> {
    try {
      await this.#world.launcher.start(launch);
    } catch (error) {
      this.#delay = error instanceof LaunchDelayed ? error : undefined;
      this.#problem = describeError(error).message;
      throw error;
    }
    this.#isAwaited = true;
    this.#delay = undefined;
    this.#problem = undefined;
  }

  async #noteTimes(row: LiveAgentRow): Promise<void> {
    const { agentTimeline, launcher } = this.#world;
    const times = launcher.startTimes(row.id);
    const scheduledAt = row.scheduledAt ?? times.scheduledAt ?? null;
    const programStartedAt = row.programStartedAt ?? times.programStartedAt ?? null;
    if (scheduledAt === row.scheduledAt && programStartedAt === row.programStartedAt) return;
    await agentTimeline.noteStartTimes(row.id, { scheduledAt, programStartedAt });
  }

  async #maskOf(row: LiveAgentRow): Promise<Mask> {
    // One that another process has started: what its template holds now is the best that is known.
    try {
      this.#mask ??= this.#maskFor(await templateVariables(row, this.#world));
    } catch (error) {
      if (!(error instanceof LaunchRefused)) throw error;
      // Nobody knows any more what is secret in its output.
      this.#mask = () => MASK;
    }
    return this.#mask;
  }

  #maskFor(variables: Readonly<Record<string, string>>): Mask {
    return createMask([...Object.values(variables), this.#world.media.apiSecret]);
  }

  /**
   * Whether it hears and can answer, by its own account. That the server calls it active is not enough: its own side may
   * not be there yet, or give the attempt up. Measured on a loaded machine: of 240 connections 18 still missed packets
   * right after the SDK had called them connected, and of 400 none after they had announced themselves.
   */
  async #isInRoom({ id, role, sessionId }: LiveAgentRow): Promise<boolean> {
    const { rooms, hasMediaKeys } = this.#world;
    const identity = agentIdentity({ role, agentId: id });
    try {
      const listed = await rooms.listParticipants(sessionId);
      this.#problem = undefined;
      const own =
        listed.find((found) => found.identity === identity) ??
        // With the keys it may have called itself what it liked.
        (hasMediaKeys ? listed.find((found) => !found.isHidden && isForeign(found)) : undefined);
      if (own?.state !== 'active') this.#activeSince = undefined;
      else this.#activeSince ??= performance.now();
      return this.#activeSince !== undefined && (own?.isAnnounced || this.#isLateToAnnounce);
    } catch (error) {
      // Nobody is there for as long as nobody can look: its time runs all the same.
      this.#problem = describeError(error).message;
      return false;
    }
  }

  get #isLateToAnnounce(): boolean {
    const since = this.#activeSince ?? Number.POSITIVE_INFINITY;
    return performance.now() - since >= this.#world.limits.announceMs;
  }

  #lateness(): Problem {
    if (this.#delay) return { reason: this.#delay.reason, detail: this.#delay.detail };
    const seconds = this.#world.limits.startTimeoutMs / 1000;
    const why = this.#problem === undefined ? '' : ` The last problem was: ${this.#problem}`;
    const detail = `It was not in the room within ${seconds} s.${why}`;
    return { reason: 'start_timeout', detail };
  }

  /** Notes why it is to stop, before it is stopped: whoever takes over must tell the same story. */
  async #giveUp(row: LiveAgentRow, state: AgentState, problem: Problem): Promise<void> {
    const { agents, launcher, limits } = this.#world;
    await agents.updateAgentState(row.id, { ...state, ...problem });
    await agents.requestAgentStop(row.id, problem.reason);
    await launcher.stop(row.id, limits.graceSeconds);
  }

  /** Says that it has stopped, when its log is complete: after that what is left of it goes. */
  async #conclude(row: LiveAgentRow, state: AgentState, end: Workload): Promise<void> {
    if (this.#logs) {
      const isDone = new AbortController();
      const patience = pause(this.#world.limits.logTimeoutMs, isDone.signal);
      await Promise.race([this.#logs.done, patience]);
      isDone.abort();
    }
    await this.#update(row, nextState(state, end));
    await this.#world.launcher.remove(row.id);
  }

  async #update(row: LiveAgentRow, state: AgentState): Promise<void> {
    const { agents, log } = this.#world;
    if (!(await agents.updateAgentState(row.id, state))) return;
    const { status, reason, exitCode } = state;
    log.info({ agentId: row.id, sessionId: row.sessionId, reason, exitCode }, `agent ${status}`);
  }
}

/** How the row has it; its reason is why it is to stop, if it is. */
function stateOf(row: LiveAgentRow): AgentState {
  const { status, detail, exitCode, desired, sessionStatus } = row;
  const stored = STOP_REASONS.find((reason) => reason === row.reason);
  const isClosed = sessionStatus === 'CLOSED';
  const isWanted = desired === 'running' && !isClosed;
  const reason = stored ?? (isWanted ? null : isClosed ? 'session_closed' : 'requested');
  return { status, detail, exitCode, reason };
}
