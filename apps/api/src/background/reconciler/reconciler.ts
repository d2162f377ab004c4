import type { AgentObservation, Workload } from '@session/agents';
import {
  isDatabaseAway,
  type LiveAgentRow,
  type LiveWorkload,
  listLiveAgents,
  listLiveWorkloads,
} from '@session/db';
import { describeError, pause } from '@session/kit';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { ExternalAgent, isExternal } from './external-agent.ts';
import { agentIdOf, currentWorkloadId, isLaterWorkload } from './next-step.ts';
import { StepSlots } from './step-slots.ts';
import { SupervisedAgent } from './supervised-agent.ts';
import type { SupervisionDeps } from './supervision.ts';

/** Bounds how often rounds are woken, because each change of an agent or a session wakes all processes. */
const LEAST_PAUSE_MS = 100;
const MOST_LOGGED = 20;

export interface ReconcilerTiming {
  readonly pollMs: number;
  /**
   * The pause while an agent has a workload but is not ready in its room yet. No notification reports when it becomes
   * ready.
   */
  readonly startingPollMs: number;
  readonly retryMs: number;
}

export interface ReconcilerOptions extends SupervisionDeps {
  readonly isLeading: () => boolean;
  readonly timing: ReconcilerTiming;
  readonly shutdown: ShutdownBudget;
}

/**
 * Makes agents run as their rows say, and writes to the rows what is observed of the agents. Level-triggered: each round
 * compares all agents that have not stopped with all workloads. So a lost wake-up, a crash between two steps, or a
 * database that is away for a while delays changes and breaks nothing.
 *
 * From a row to a running agent: `next-step.ts` decides which step is due, `supervised-agent.ts` takes the step,
 * `launch-request.ts` makes the agent's environment, and the launcher (`packages/agents` or `packages/k8s`) starts a process
 * or a pod. The launcher reports the workload back, and `agent-presence.ts` finds out when the agent is ready in its room.
 *
 * Only the leader acts on rows. Every process ends the orphans that its launcher reports. The reconciler owns the launcher.
 */
export class Reconciler implements AsyncDisposable {
  readonly #options: ReconcilerOptions;
  readonly #stop = new AbortController();
  readonly #supervised = new Map<string, ExternalAgent | SupervisedAgent>();
  /**
   * Separate slots, so that no start waits for a launcher that fails to end orphans, or for a media server that fails to
   * list participants.
   */
  readonly #slots = {
    orphans: new StepSlots(),
    external: new StepSlots(),
    supervised: new StepSlots(),
  };
  readonly #loops: Promise<void>[];
  #workloads: Workloads | undefined;
  #sleep = new AbortController();
  readonly #logged = new Set<string>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#loops = [this.#observe(), this.#run()];
  }

  wake(): void {
    this.#sleep.abort();
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#options.timing;
    while (!this.#stop.signal.aborted) {
      // Created before the round, so that a wake-up during the round is not lost.
      this.#sleep = new AbortController();
      const workloads = this.#workloads;
      const delayMs = workloads ? await this.#round(workloads) : pollMs;
      const endedAt = performance.now();
      await pause(delayMs, this.#sleep.signal);
      const restMs = Math.min(delayMs, LEAST_PAUSE_MS) - (performance.now() - endedAt);
      if (workloads && restMs > 0) await pause(restMs, this.#stop.signal);
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
        log.warn({ err: error }, 'observing launcher failed, retrying');
      }
      await pause(timing.retryMs, signal);
    }
  }

  /** Returns the pause before the next round in milliseconds. Never throws. */
  async #round(workloads: Workloads): Promise<number> {
    const { pollMs, startingPollMs, retryMs } = this.#options.timing;
    try {
      const { failures, isStarting, restartInMs, hasExternal } = await this.#reconcile(workloads);
      if (failures.length === 0) {
        this.#logged.clear();
        const { externalPollMs } = this.#options.limits;
        const waitMs = Math.min(isStarting ? startingPollMs : pollMs, restartInMs);
        return hasExternal ? Math.min(waitMs, externalPollMs) : waitMs;
      }
      this.#logFailures(failures);
    } catch (error) {
      this.#logFailures([error]);
    }
    return retryMs;
  }

  /** Logs each failure once until a round has none, because a failed step is repeated in every round. */
  #logFailures(failures: readonly unknown[]): void {
    for (const error of failures) {
      // While the database is away, many steps fail for the same reason.
      const key = isDatabaseAway(error) ? 'away' : describeError(error).message;
      if (this.#logged.has(key) || this.#logged.size === MOST_LOGGED) continue;
      this.#logged.add(key);
      this.#options.log.warn({ err: error }, 'reconciling agents failed, retrying');
    }
  }

  async #reconcile(observed: Workloads): Promise<RoundOutcome> {
    const { database, isLeading } = this.#options;
    // Copied before the rows are read: a workload that appears later may belong to a row that was not read yet.
    const workloads = new Map(observed);
    const read = isLeading() ? await listLiveAgents(database) : undefined;
    const live = read ?? (await this.#listLiveWorkloads(workloads));
    const liveIds = new Set(live.map(currentWorkloadId));
    const results = await Promise.allSettled(this.#takeSteps(read ?? [], liveIds, workloads));
    const rows = isLeading() ? (read ?? []) : [];
    return {
      failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
      // A failed start is retried after `retryMs`. Only an agent with a workload is polled fast.
      isStarting: rows.some(
        (row) => row.status === 'Starting' && workloads.has(currentWorkloadId(row)),
      ),
      restartInMs: Math.min(...rows.map(msUntilRestart)),
      hasExternal: rows.some(isExternal),
    };
  }

  async #listLiveWorkloads(workloads: Workloads): Promise<LiveWorkload[]> {
    if (workloads.size === 0 && this.#supervised.size === 0) return [];
    return await listLiveWorkloads(this.#options.database);
  }

  #takeSteps(
    rows: readonly LiveAgentRow[],
    liveIds: ReadonlySet<string>,
    workloads: Workloads,
  ): Promise<void>[] {
    const orphans = [...workloads].filter(([workloadId]) => !liveIds.has(workloadId));
    const orphansOf = Map.groupBy(orphans, ([workloadId]) => agentIdOf(workloadId));
    // The agent's next workload would have the orphan's id, so the orphan must end first.
    const due = rows.filter(
      (row) => !orphansOf.get(row.id)?.some(([workloadId]) => isLaterWorkload(workloadId, row)),
    );
    const gone = [...this.#supervised].filter(
      ([workloadId]) => !liveIds.has(workloadId) && !isAlive(workloads.get(workloadId)),
    );
    const slots = this.#slots;
    const slotsOf = (row: LiveAgentRow) => (isExternal(row) ? slots.external : slots.supervised);
    return [
      ...orphans.map((orphan) => slots.orphans.run(() => this.#endOrphan(...orphan))),
      ...gone.map((agent) => slots.supervised.run(() => this.#forget(...agent))),
      ...due.map((row) =>
        slotsOf(row).run(() => this.#supervise(row, workloads.get(currentWorkloadId(row)))),
      ),
    ];
  }

  async #supervise(row: LiveAgentRow, workload: Workload = { phase: 'absent' }): Promise<void> {
    // The leadership may have ended while the step waited for its slot.
    if (!this.#options.isLeading()) return;
    const workloadId = currentWorkloadId(row);
    let agent = this.#supervised.get(workloadId);
    if (!agent) {
      agent = isExternal(row)
        ? new ExternalAgent(this.#options)
        : new SupervisedAgent(this.#options, this.#slots.supervised);
      this.#supervised.set(workloadId, agent);
    }
    await agent.reconcile(row, workload);
  }

  /**
   * Ends an orphan: a workload whose agent has stopped, has a later workload, or was deleted with its session. After a
   * restore of the database, a workload without a row, or of a later start than its row records, is an orphan too. The
   * process launcher reports only the workloads of its own process. The Kubernetes launcher reports all pods of the
   * deployment, so several processes may end the same pod, which does no harm.
   */
  async #endOrphan(workloadId: string, { phase }: Workload): Promise<void> {
    const { launcher, limits } = this.#options;
    if (phase === 'ended') await launcher.remove(workloadId);
    else await launcher.stop(workloadId, limits.graceSeconds);
  }

  async #forget(workloadId: string, agent: AsyncDisposable): Promise<void> {
    this.#supervised.delete(workloadId);
    await agent[Symbol.asyncDispose]();
  }

  /**
   * Ends the workloads that cannot outlive this process. Records their ends in the agents' rows if this process leads and
   * the database answers.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const { launcher, log, shutdown } = this.#options;
    this.#stop.abort();
    this.wake();
    // Comes first, because the loops may wait for a silent database. From now on, a start fails.
    await launcher[Symbol.asyncDispose]();
    try {
      await shutdown.spend(this.#finish());
    } catch (error) {
      log.warn({ err: error }, 'storing ends of last agents failed; next leader stores them');
    }
    const supervised = [...this.#supervised.values()];
    const ends = Promise.all(supervised.map((agent) => agent[Symbol.asyncDispose]()));
    await shutdown.spend(ends).catch((error: unknown) => {
      log.warn({ err: error }, 'storing last log lines of agents failed');
    });
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#loops);
    await this.#lastRound();
  }

  async #lastRound(): Promise<void> {
    const workloads: Workloads = new Map();
    const end = new AbortController();
    let isSynced = false;
    for await (const observation of this.#options.launcher.observe(end.signal)) {
      note(workloads, observation);
      isSynced = observation.type === 'synced';
      if (isSynced) break;
    }
    end.abort();
    // Without a full list of workloads, agents that still run would seem lost.
    if (isSynced) await this.#reconcile(workloads);
  }
}

interface RoundOutcome {
  readonly failures: unknown[];
  readonly isStarting: boolean;
  readonly restartInMs: number;
  readonly hasExternal: boolean;
}

/** Ignores restarts that are due already: their attempts wake the reconciler, or are retried after a failure. */
function msUntilRestart({ restartInMs }: LiveAgentRow): number {
  return restartInMs !== null && restartInMs > 0 ? restartInMs : Number.POSITIVE_INFINITY;
}

function isAlive(workload: Workload = { phase: 'absent' }): boolean {
  return workload.phase !== 'absent' && workload.phase !== 'ended';
}

type Workloads = Map<string, Workload>;

function note(workloads: Workloads, observation: AgentObservation): void {
  if (observation.type === 'synced') return;
  const { workloadId, workload } = observation;
  if (workload.phase === 'absent') workloads.delete(workloadId);
  else workloads.set(workloadId, workload);
}
