import type { AgentObservation, Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { pause } from '@session/kit';
import type { Leadership } from '../leadership.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { type AgentWorld, SupervisedAgent } from './supervised-agent.ts';

export interface ReconcilerTiming {
  /** Between two looks when nobody nudges. */
  readonly everyMs: number;
  /** Between two looks while some agent is about to be in its room: nothing tells of that at once. */
  readonly startingMs: number;
  /** Before what failed is tried again. */
  readonly retryMs: number;
}

export interface ReconcilerOptions extends AgentWorld {
  readonly leadership: Pick<Leadership, 'isHeld'>;
  readonly timing: ReconcilerTiming;
  /** For what is left to be written at the end. */
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
}

/**
 * Makes the world match the rows, and the rows tell of the world. Level-triggered: each look compares all agents that have
 * not stopped with all workloads, so a nudge that is lost, a crash between two steps, or a database that is away for a
 * while delays things and breaks nothing. Only the leader acts on rows; everyone ends workloads of its own that no row
 * knows any more. It owns the launcher.
 */
export class Reconciler implements AsyncDisposable {
  readonly #options: ReconcilerOptions;
  readonly #stop = new AbortController();
  readonly #supervised = new Map<string, SupervisedAgent>();
  readonly #loops: Promise<void>[];
  /** What is seen of each workload; undefined before the launcher has told all. */
  #workloads: Workloads | undefined;
  #nap = new AbortController();
  #isFailing = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#loops = [this.#observe(), this.#run()];
  }

  /** Asks for a look now. */
  nudge(): void {
    this.#nap.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Made anew before the look: a nudge that comes during it is not lost.
      this.#nap = new AbortController();
      const delayMs = await this.#look();
      await pause(delayMs, this.#nap.signal);
    }
  }

  async #observe(): Promise<void> {
    const { launcher, timing, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const found: Workloads = new Map();
      try {
        for await (const observation of launcher.observe(signal)) {
          note(found, observation);
          if (observation.type === 'synced') this.#workloads = found;
          if (this.#workloads === found) this.nudge();
        }
      } catch (error) {
        log.warn({ err: error }, 'the launcher cannot be observed');
      }
      await pause(timing.retryMs, signal);
    }
  }

  /** Gives when to look again, in milliseconds. Never throws. */
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
      // Once: while the database is away each look fails.
      if (!this.#isFailing) this.#options.log.warn({ err: error }, 'agents cannot be reconciled');
      this.#isFailing = true;
      return retryMs;
    }
  }

  /** Gives what failed, agent by agent, and whether one is about to be in its room. One that fails keeps no other waiting. */
  async #reconcile(seen: Workloads): Promise<{ failures: unknown[]; isStarting: boolean }> {
    // Taken before the rows are read: what is started later has a row that we do not know yet.
    const workloads = new Map(seen);
    const rows = await this.#options.agents.listLiveAgents();
    const live = new Set(rows.map(({ id }) => id));
    const orphans = [...workloads].filter(([agentId]) => !live.has(agentId));
    const work = orphans.map(([agentId, workload]) => this.#remove(agentId, workload));
    for (const [agentId, agent] of this.#supervised) {
      if (!live.has(agentId) && !workloads.has(agentId)) work.push(this.#forget(agentId, agent));
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

  /** Ends a workload whose agent has stopped, or is gone with its session. */
  async #remove(agentId: string, { phase }: Workload): Promise<void> {
    const { launcher, limits } = this.#options;
    if (phase === 'ended') await launcher.remove(agentId);
    else await launcher.stop(agentId, limits.graceSeconds);
  }

  async #forget(agentId: string, agent: SupervisedAgent): Promise<void> {
    this.#supervised.delete(agentId);
    await agent[Symbol.asyncDispose]();
  }

  /** Ends what cannot outlive this process, and says so in the rows, as far as that is possible now. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { launcher, log, shutdown } = this.#options;
    this.#stop.abort();
    this.nudge();
    // First: the loops may wait for a database that is silent, and a loop that starts an agent now is refused.
    await launcher[Symbol.asyncDispose]();
    try {
      await shutdown.spend(this.#finish());
    } catch (error) {
      log.warn({ err: error }, 'the last agents were not settled: the next start does it');
    }
    const supervised = [...this.#supervised.values()];
    const ends = Promise.all(supervised.map((agent) => agent[Symbol.asyncDispose]()));
    await shutdown.spend(ends).catch((error: unknown) => {
      log.warn({ err: error }, 'the last lines of agents were not stored');
    });
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#loops);
    await this.#settle();
  }

  /** A last look, at how the workloads are now. */
  async #settle(): Promise<void> {
    const found: Workloads = new Map();
    const enough = new AbortController();
    let isSynced = false;
    for await (const observation of this.#options.launcher.observe(enough.signal)) {
      note(found, observation);
      isSynced = observation.type === 'synced';
      if (isSynced) break;
    }
    enough.abort();
    // Otherwise nobody knows what stands, and it is not lost for that.
    if (isSynced) await this.#reconcile(found);
  }
}

type Workloads = Map<string, Workload>;

function note(found: Workloads, observation: AgentObservation): void {
  if (observation.type === 'synced') return;
  const { agentId, workload } = observation;
  if (workload.phase === 'absent') found.delete(agentId);
  else found.set(agentId, workload);
}
