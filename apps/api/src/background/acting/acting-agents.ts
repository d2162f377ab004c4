import { AgentTemplateDefinition } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { FollowerLoop } from '../followers/follower-loop.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { type AgentHandoverDeps, carryOutHandover, finishHandover } from './agent-handovers.ts';

const EndConversation = AgentTemplateDefinition.shape.endConversation;

export interface ActingTiming {
  /** How often all acting agents are checked, because a notification may be lost. */
  readonly everyMs: number;
  readonly gapMs: number;
}

const ACTING_TIMING: ActingTiming = { everyMs: 10_000, gapMs: 100 };

export interface ActingAgentsOptions extends AgentHandoverDeps {
  readonly isLeading: () => boolean;
  readonly shutdown: ShutdownBudget;
  readonly timing?: ActingTiming;
}

/**
 * Carries out the acts that agents report in the history, because agents have no credential for the API. Obeys only a
 * live agent whose template allows the act. After a restart of this process the reports are read again, but each act
 * takes effect only once.
 */
export class ActingAgents implements AsyncDisposable {
  readonly #options: ActingAgentsOptions;
  readonly #timing: ActingTiming;
  readonly #stop = new AbortController();
  readonly #loop: FollowerLoop;
  #agents: readonly db.ActingAgentRow[] = [];
  #sessionIds: ReadonlySet<string> = new Set();
  readonly #positions = new Map<string, string>();
  readonly #changed = new Set<string>();
  /**
   * Agents whose last act failed. They are retried only when all agents are checked, because each may wait for a lock.
   */
  readonly #failing = new Set<string>();
  #isListed = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ActingAgentsOptions) {
    this.#options = options;
    this.#timing = options.timing ?? ACTING_TIMING;
    this.#loop = new FollowerLoop({
      ...this.#timing,
      look: () => this.#look(),
      stop: this.#stop.signal,
      log: options.log,
      failed: 'following acts of agents failed, retrying',
    });
  }

  stored(sessionIds: string): void {
    if (sessionIds === '') this.#lookedAt = Number.NEGATIVE_INFINITY;
    const changed = sessionIds.split(',').filter((id) => this.#sessionIds.has(id));
    for (const id of changed) this.#changed.add(id);
    if (sessionIds === '' || changed.length > 0) this.#loop.wake();
  }

  agentsChanged(): void {
    this.#isListed = false;
    this.#loop.wake();
  }

  async #look(): Promise<'look' | 'wait'> {
    if (!this.#options.isLeading()) return 'wait';
    const isDue = performance.now() - this.#lookedAt >= this.#timing.everyMs;
    const changed = new Set(this.#changed);
    // When a successor becomes Running, `messages_stored` names its session, but no `agent_changed` follows.
    const isWaited = this.#agents.some(
      ({ sessionId, successorId }) => successorId !== null && changed.has(sessionId),
    );
    if (isDue || !this.#isListed || isWaited) await this.#list();
    for (const sessionId of changed) this.#changed.delete(sessionId);
    await this.#carryOutAll(
      this.#agents.filter(({ id, sessionId, isSuccessorRunning }) => {
        if (isDue) return true;
        const isUnread = !this.#positions.has(id) || changed.has(sessionId);
        return (isUnread || isSuccessorRunning) && !this.#failing.has(id);
      }),
    );
    if (isDue) this.#lookedAt = performance.now();
    return this.#isListed && this.#changed.size === 0 ? 'wait' : 'look';
  }

  async #list(): Promise<void> {
    this.#isListed = true;
    try {
      this.#agents = await db.listActingAgents(this.#options.database);
    } catch (error) {
      this.#isListed = false;
      throw error;
    }
    this.#sessionIds = new Set(this.#agents.map(({ sessionId }) => sessionId));
    const ids = new Set(this.#agents.map(({ id }) => id));
    for (const id of this.#positions.keys()) if (!ids.has(id)) this.#positions.delete(id);
    for (const id of this.#failing) if (!ids.has(id)) this.#failing.delete(id);
  }

  async #carryOutAll(agents: readonly db.ActingAgentRow[]): Promise<void> {
    const failures: unknown[] = [];
    for (const agent of agents) {
      try {
        await this.#carryOut(agent);
        this.#failing.delete(agent.id);
      } catch (error) {
        if (db.classOfError(error) === 'away') {
          // All agents are checked at the next look, which follows a failure soon.
          this.#lookedAt = Number.NEGATIVE_INFINITY;
          throw error;
        }
        if (!this.#failing.has(agent.id)) failures.push(error);
        this.#failing.add(agent.id);
      }
    }
    if (failures.length === 0) return;
    const { log } = this.#options;
    log.warn(
      { err: failures[0], agents: failures.length },
      'carrying out acts of agents failed, retrying',
    );
  }

  async #carryOut(agent: db.ActingAgentRow): Promise<void> {
    if (agent.isSuccessorRunning) await finishHandover(agent, this.#options);
    else await this.#follow(agent);
  }

  async #follow(agent: db.ActingAgentRow): Promise<void> {
    const { id: agentId, role, sessionId, createdAt } = agent;
    const identity = agentIdentity({ role, agentId });
    const position = this.#positions.get(agentId) ?? createdAt;
    const followed = await db.followAgentActs(this.#options.database, {
      sessionId,
      identity,
      position,
    });
    if (!followed) return;
    const { acts, end } = followed;
    if (acts.some(({ kind }) => kind === 'conversation_ended')) await this.#end(agent);
    // If the handover must be retried, the position stays, so that the acts are read again.
    if (await carryOutHandover(agent, acts, this.#options)) this.#positions.set(agentId, end);
  }

  async #end(agent: db.ActingAgentRow): Promise<void> {
    const { database, log } = this.#options;
    const { data: allowed } = EndConversation.safeParse(agent.endConversation);
    if (!allowed) return;
    const closesSession = allowed.closeSession === true;
    if (!(await db.endConversation(database, agent, closesSession))) return;
    const { id: agentId, sessionId } = agent;
    log.info({ agentId, sessionId, closesSession }, 'agent ended its conversation');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const { shutdown, log } = this.#options;
    await shutdown.spend(this.#loop.ended).catch((error: unknown) => {
      log.warn({ err: error }, 'stopped before all acts of agents were carried out');
    });
  }
}
