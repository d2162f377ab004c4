import {
  type AgentState,
  LaunchDelayed,
  type LaunchProblem,
  LaunchRefused,
  type LaunchRequest,
  nextState,
  restartDelayMs,
  type Workload,
} from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import * as db from '@session/db';
import { describeError } from '@session/kit';
import type { ListedParticipant } from '@session/media/server';
import { AgentMeasure } from './agent-measure.ts';
import { AgentOutput } from './agent-output.ts';
import { AgentPresence } from './agent-presence.ts';
import { MissedTexts } from './conversation/missed-texts.ts';
import { launchRequestOf } from './launch-request.ts';
import { currentWorkloadId, nextStepOf, stateOf } from './next-step.ts';
import { removeGhost, restartAgent } from './restart-agent.ts';
import { traceLaunch, traceStart } from './start-trace.ts';
import { valuesForStart } from './start-values.ts';
import { StepSlots } from './step-slots.ts';
import type { SupervisionDeps } from './supervision.ts';

/**
 * One workload of an agent that has not stopped, and what this process remembers of it. Acts only in `reconcile`, so
 * the next call repeats a failed step.
 */
export class SupervisedAgent implements AsyncDisposable {
  readonly #deps: SupervisionDeps;
  readonly #slots: StepSlots;
  readonly #measure: AgentMeasure;
  readonly #output: AgentOutput;
  readonly #presence: AgentPresence;
  readonly #missedTexts: MissedTexts;
  readonly #supervisedSince = performance.now();
  /** Whether a workload was started here and has not been observed yet. Until it is observed, its absence means nothing. */
  #isUnobserved = false;
  #lastFailure: unknown;
  /** Why the last start was delayed. This stays the reason of a time-out, whatever happens in the room meanwhile. */
  #delay: LaunchDelayed | undefined;

  constructor(deps: SupervisionDeps, slots = new StepSlots()) {
    this.#deps = deps;
    this.#slots = slots;
    this.#measure = new AgentMeasure(deps.metrics);
    this.#output = new AgentOutput(deps);
    this.#presence = new AgentPresence(deps);
    this.#missedTexts = new MissedTexts(deps);
  }

  /**
   * Takes the next step of the agent: acts on the workload as the row says, or writes the observed workload to the row. Throws
   * when the database, the launcher or the media server fails; the next round repeats the step.
   */
  async reconcile(read: LiveAgentRow, workload: Workload): Promise<void> {
    let row = read;
    if (workload.phase !== 'absent') {
      this.#isUnobserved = false;
      row = await this.#storeStartTimes(read);
      await this.#output.follow(row);
    }
    this.#measure.read(row);
    const { launcher, limits } = this.#deps;
    const state = stateOf(row);
    switch (nextStepOf(row, state, workload, this.#isUnobserved)) {
      case 'start':
        // `start` is also called for a workload that waits: it is idempotent, and creates only what is missing.
        return await traceLaunch(this.#deps.traces, row, () => this.#start(row, state, workload));
      case 'awaitRestart':
        return;
      case 'stop':
        return await launcher.stop(currentWorkloadId(row), limits.graceSeconds);
      case 'awaitReady':
        return await this.#awaitReady(await this.#markStarted(row), state, workload);
      case 'limitDuration':
        await this.#markStarted(row);
        await this.#sendAgain(row);
        return await this.#limitDuration(row, state);
      case 'conclude':
        return await this.#conclude(row, state, workload);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#missedTexts[Symbol.asyncDispose]();
    await this.#output[Symbol.asyncDispose]();
  }

  get #supervisedMs(): number {
    return performance.now() - this.#supervisedSince;
  }

  async #start(row: LiveAgentRow, state: AgentState, { phase }: Workload): Promise<void> {
    const { database, launcher, limits, log } = this.#deps;
    const isLate = this.#supervisedMs > limits.startTimeoutMs;
    // After a day without an API, a restart may be due although the agent has had its longest time.
    const problem = isLate ? this.#startTimeout() : this.#overrun(row);
    if (problem) {
      // `absent` even if a pod waits, because its program never ran and has no end. Once the row is Stopped, the pod is
      // an orphan, and the next round ends it.
      return await this.#conclude(row, { ...state, ...problem }, { phase: 'absent' });
    }
    // Called before any part of the new workload exists, so that its own participant is never taken for a ghost.
    if (row.restarts > 0 && phase === 'absent') await this.#ignoreGhosts(row);
    try {
      const variables = await valuesForStart(row, this.#deps);
      await this.#output.maskValuesOf(row.role, variables);
      await this.#launch(await launchRequestOf(row, variables, this.#deps));
    } catch (error) {
      if (error instanceof LaunchDelayed) this.#delay = error;
      if (!(error instanceof LaunchRefused)) throw error;
      const { reason: cause, detail } = error;
      // An earlier attempt may have created a part of the workload.
      await launcher.stop(currentWorkloadId(row), limits.graceSeconds);
      return await this.#conclude(row, state, { phase: 'ended', exitCode: null, cause, detail });
    }
    await db.markAgentStarted(database, row.id, row.restarts);
    const { id: agentId, sessionId, role, restarts } = row;
    log.info({ agentId, sessionId, role, restarts }, 'agent started');
  }

  /**
   * Calls the launcher, and remembers its failure for the agent's `detail`. Failures of the database are not
   * remembered.
   */
  async #launch(request: LaunchRequest): Promise<void> {
    try {
      await this.#deps.launcher.start(request);
    } catch (error) {
      this.#delay = error instanceof LaunchDelayed ? error : undefined;
      this.#lastFailure = error;
      throw error;
    }
    this.#isUnobserved = true;
    this.#delay = undefined;
    this.#lastFailure = undefined;
  }

  async #awaitReady(row: LiveAgentRow, state: AgentState, workload: Workload): Promise<void> {
    const participant = await this.#findReady(row);
    if (participant) {
      this.#missedTexts.send(row, participant);
      await this.#update(row, nextState(state, { phase: 'ready' }));
    } else if (this.#supervisedMs > this.#deps.limits.startTimeoutMs) {
      const problem = workload.phase === 'waiting' ? workload.problem : undefined;
      await this.#giveUp(row, state, problem ?? this.#startTimeout());
    } else {
      await this.#limitDuration(row, state);
    }
  }

  async #sendAgain(row: LiveAgentRow): Promise<void> {
    if (!this.#missedTexts.mayLack(row)) return;
    // A failure is thrown so that the round is repeated soon, because the next regular round may come too late.
    const participant = await this.#presence.findReady(row);
    if (participant) this.#missedTexts.send(row, participant);
  }

  async #limitDuration(row: LiveAgentRow, state: AgentState): Promise<void> {
    const problem = this.#overrun(row);
    if (problem) await this.#giveUp(row, state, problem);
  }

  #overrun(row: LiveAgentRow): LaunchProblem | undefined {
    const { maxDurationMs } = this.#deps.limits;
    if (this.#runMs(row) <= maxDurationMs) return undefined;
    const detail = `The agent ran for ${maxDurationMs / 1000} s, the longest time allowed.`;
    return { reason: 'max_duration', detail };
  }

  /** Counts from the time in the row, because the agent may be older than its supervision. */
  #runMs({ startedAt }: LiveAgentRow): number {
    return startedAt === null ? this.#supervisedMs : Date.now() - Date.parse(startedAt);
  }

  async #findReady(row: LiveAgentRow): Promise<ListedParticipant | undefined> {
    try {
      const participant = await this.#presence.findReady(row);
      this.#lastFailure = undefined;
      return participant;
    } catch (error) {
      // The start must time out even while the media server does not answer.
      this.#lastFailure = error;
      return undefined;
    }
  }

  /**
   * Marks the agent as started if the process that created the workload could not, because it or the database failed.
   */
  async #markStarted(row: LiveAgentRow): Promise<LiveAgentRow> {
    if (row.startedAt !== null && row.restartInMs === null) return row;
    await db.markAgentStarted(this.#deps.database, row.id, row.restarts);
    return { ...row, startedAt: row.startedAt ?? new Date().toISOString() };
  }

  async #storeStartTimes(row: LiveAgentRow): Promise<LiveAgentRow> {
    const { database, launcher } = this.#deps;
    const times = launcher.startTimes(currentWorkloadId(row));
    const scheduledAt = row.scheduledAt ?? times.scheduledAt ?? null;
    const programStartedAt = row.programStartedAt ?? times.programStartedAt ?? null;
    if (scheduledAt === row.scheduledAt && programStartedAt === row.programStartedAt) return row;
    await db.noteStartTimes(database, row.id, { scheduledAt, programStartedAt });
    return { ...row, scheduledAt, programStartedAt };
  }

  #startTimeout(): LaunchProblem {
    if (this.#delay) return { reason: this.#delay.reason, detail: this.#delay.detail };
    const failure = this.#lastFailure;
    const seconds = this.#deps.limits.startTimeoutMs / 1000;
    const cause =
      failure === undefined ? '' : ` The last failure was: ${describeError(failure).message}`;
    const detail = `The agent was not in its room within ${seconds} s.${cause}`;
    return { reason: 'start_timeout', detail };
  }

  /**
   * Writes the reason before stopping the workload, because a process that takes over must use the same reason. Does
   * nothing if another leader has set the row to Running, or has restarted the agent.
   */
  async #giveUp(row: LiveAgentRow, state: AgentState, problem: LaunchProblem): Promise<void> {
    const { database, launcher, limits } = this.#deps;
    const givenUp = { ...state, ...problem, restarts: row.restarts };
    if (!(await db.updateAgentState(database, row.id, givenUp))) return;
    await db.requestAgentStop(database, row.id, problem.reason);
    await launcher.stop(currentWorkloadId(row), limits.graceSeconds);
  }

  async #conclude(row: LiveAgentRow, state: AgentState, end: Workload): Promise<void> {
    const { launcher, limits } = this.#deps;
    await this.#slots.aside(this.#output.stored(limits.logTimeoutMs));
    const next = nextState(state, end);
    const delayMs = this.#restartDelayMs(row, state, next);
    if (delayMs === undefined) await this.#setStopped(row, next);
    // The next round reads why the agent may not be restarted.
    else if (await restartAgent(row, next, delayMs, this.#deps)) this.#traceStart(row, next.reason);
    else return;
    await launcher.remove(currentWorkloadId(row));
  }

  async #setStopped(row: LiveAgentRow, state: AgentState): Promise<void> {
    const isStored = await this.#update(row, state);
    // A program that never ran, or that completed, leaves no ghost.
    if (!isStored || row.startedAt === null || state.exitCode === 0) return;
    await removeGhost(row, state.reason, this.#deps.rooms);
  }

  #restartDelayMs(row: LiveAgentRow, state: AgentState, next: AgentState): number | undefined {
    if (state.reason !== null || this.#overrun(row)) return undefined;
    const { restartDelaysMs } = this.#deps.limits;
    return restartDelayMs(row.restartPolicy, next, row.endsMsAgo, restartDelaysMs);
  }

  async #ignoreGhosts(row: LiveAgentRow): Promise<void> {
    try {
      await this.#presence.ignoreGhosts(row);
    } catch (error) {
      // Without the media server, the agent could not join either. The next round tries again.
      this.#lastFailure = error;
      throw error;
    }
  }

  async #update(row: LiveAgentRow, state: AgentState): Promise<boolean> {
    const { database, log } = this.#deps;
    const { id: agentId, sessionId, restarts } = row;
    if (!(await db.updateAgentState(database, agentId, { ...state, restarts }))) return false;
    const { status, reason, exitCode } = state;
    this.#measure.stored(row, state);
    this.#traceStart(row, status === 'Running' ? null : reason);
    log.info({ agentId, sessionId, status, reason, exitCode }, 'agent status changed');
    return true;
  }

  #traceStart(row: LiveAgentRow, reason: string | null): void {
    if (row.status === 'Starting') traceStart(this.#deps.traces, row, reason ?? undefined);
  }
}
