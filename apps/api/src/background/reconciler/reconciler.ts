import type { AgentObservation, Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { pause } from '@session/kit';
import type { Leadership } from '../leadership.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { SupervisedAgent, type SupervisionDeps } from './supervised-agent.ts';

export interface ReconcilerTiming {
  /** Between two looks when nobody wakes the reconciler. */
  readonly everyMs: number;
  /** Between two looks while an agent is about to be ready in its room, which no notification reports. */
  readonly startingMs: number;
  /** Before a failure is retried. */
  readonly retryMs: number;
}

export interface ReconcilerOptions extends SupervisionDeps {
  readonly leadership: Pick<Leadership, 'isHeld'>;
  readonly timing: ReconcilerTiming;
  /** How long the last writes may take when this process shuts down. */
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
}

/**
 * Makes agents run as their rows say, and writes to the rows what is observed of the agents. Level-triggered: each look
 * compares all agents that have not stopped with all workloads. So a lost wake-up, a crash between two steps, or a
 * database that is away for a while delays changes and breaks nothing.
 *
 * From a row to a running agent: `agent-phase.ts` says which step is due, `supervised-agent.ts` takes it, `launch.ts` makes
 * the agent's environment, and the launcher (`packages/agents` or `packages/k8s`) starts a process or a pod. The launcher
 * reports the workload back, and `agent-presence.ts` finds out when the agent is ready in its room.
 *
 * Only the leader acts on rows. Every process ends those of its own workloads whose agent has stopped or was deleted. The
 * reconciler owns the launcher.
 */
export class Reconciler implements AsyncDisposable {
  readonly #options: ReconcilerOptions;
  readonly #stop = new AbortController();
  readonly #supervised = new Map<string, SupervisedAgent>();
  readonly #loops: Promise<void>[];
  /** The workloads as last observed; undefined until the launcher has reported all of them. */
  #workloads: Workloads | undefined;
  #sleep = new AbortController();
  #isFailing = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#loops = [this.#observe(), this.#run()];
  }

  /** Makes the reconciler look now instead of at its next interval. */
  wake(): void {
    this.#sleep.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Created before the look, so that a wake-up during the look is not lost.
      this.#sleep = new AbortController();
      const delayMs = await this.#look();
      await pause(delayMs, this.#sleep.signal);
    }
  }

  async #observe(): Promise<void> {
    const { launcher, timing, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const workloads: Workloads = new Map();
      try {
        for await (const observation of launcher.observe(signal)) {
          note(workloads, observation);
          if (observation.type === 'synced') this.#workloads = workloads;
          if (this.#workloads === workloads) this.wake();
        }
      } catch (error) {
        log.warn({ err: error }, 'the launcher cannot be observed');
      }
      await pause(timing.retryMs, signal);
    }
  }

  /** Reconciles once, and returns the delay before the next look in milliseconds. Never throws. */
  async #look(): Promise<number> {
    const { everyMs, startingMs, retryMs } = this.#options.timing;
    if (!this.#workloads) return everyMs;
    try {
      const { failures, isStarting } = await this.#reconcile(this.#workloads);
      if (failures.length > 0) {
        throw new Error(`${failures.length} steps failed`, { cause: failures[0] });
      }
      this.#isFailing = false;
      return isStarting ? startingMs : everyMs;
    } catch (error) {
      // Logged once: while the database is away every look fails.
      if (!this.#isFailing) this.#options.log.warn({ err: error }, 'agents cannot be reconciled');
      this.#isFailing = true;
      return retryMs;
    }
  }

  /** Returns the failures of all agents, and whether an agent is starting. A failure delays no other agent. */
  async #reconcile(observed: Workloads): Promise<{ failures: unknown[]; isStarting: boolean }> {
    // Copied before the rows are read: a workload that appears later may belong to a row that was not read.
    const workloads = new Map(observed);
    const rows = await this.#options.agents.listLiveAgents();
    const liveIds = new Set(rows.map(({ id }) => id));
    const orphans = [...workloads].filter(([agentId]) => !liveIds.has(agentId));
    const work = orphans.map(([agentId, workload]) => this.#endOrphan(agentId, workload));
    for (const [agentId, agent] of this.#supervised) {
      if (!liveIds.has(agentId) && !workloads.has(agentId)) work.push(this.#forget(agentId, agent));
    }
    if (this.#options.leadership.isHeld) {
      work.push(...rows.map((row) => this.#supervise(row, workloads.get(row.id))));
    }
    const results = await Promise.allSettled(work);
    return {
      failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
      isStarting: rows.some(({ id, status }) => status === 'Starting' && workloads.has(id)),
    };
  }

  async #supervise(row: LiveAgentRow, workload: Workload = { phase: 'absent' }): Promise<void> {
    let agent = this.#supervised.get(row.id);
    if (!agent) {
      agent = new SupervisedAgent(this.#options);
      this.#supervised.set(row.id, agent);
    }
    await agent.reconcile(row, workload);
  }

  /** Ends a workload whose agent has stopped, or was deleted with its session. */
  async #endOrphan(agentId: string, { phase }: Workload): Promise<void> {
    const { launcher, limits } = this.#options;
    if (phase === 'ended') await launcher.remove(agentId);
    else await launcher.stop(agentId, limits.graceSeconds);
  }

  async #forget(agentId: string, agent: SupervisedAgent): Promise<void> {
    this.#supervised.delete(agentId);
    await agent[Symbol.asyncDispose]();
  }

  /** Ends the workloads that cannot outlive this process, and writes that to their rows if the database answers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { launcher, log, shutdown } = this.#options;
    this.#stop.abort();
    this.wake();
    // First: the loops may wait for a silent database. A loop that starts an agent from now on gets an error.
    await launcher[Symbol.asyncDispose]();
    try {
      await shutdown.spend(this.#finish());
    } catch (error) {
      log.warn(
        { err: error },
        'the ends of the last agents were not stored: the next start does that',
      );
    }
    const supervised = [...this.#supervised.values()];
    const ends = Promise.all(supervised.map((agent) => agent[Symbol.asyncDispose]()));
    await shutdown.spend(ends).catch((error: unknown) => {
      log.warn({ err: error }, 'the last log lines of agents were not stored');
    });
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#loops);
    await this.#lookAtEnds();
  }

  /** Reconciles a last time, with the workloads as they are after the launcher's disposal. */
  async #lookAtEnds(): Promise<void> {
    const workloads: Workloads = new Map();
    const end = new AbortController();
    let isSynced = false;
    for await (const observation of this.#options.launcher.observe(end.signal)) {
      note(workloads, observation);
      isSynced = observation.type === 'synced';
      if (isSynced) break;
    }
    end.abort();
    // Without all workloads, agents that still run would seem lost.
    if (isSynced) await this.#reconcile(workloads);
  }
}

/** By the ids of their agents. */
type Workloads = Map<string, Workload>;

function note(workloads: Workloads, observation: AgentObservation): void {
  if (observation.type === 'synced') return;
  const { agentId, workload } = observation;
  if (workload.phase === 'absent') workloads.delete(agentId);
  else workloads.set(agentId, workload);
}
