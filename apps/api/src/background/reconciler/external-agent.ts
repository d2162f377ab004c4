import type { AgentState, StopReason } from '@session/agents';
import { EXTERNAL_ROLE } from '@session/contract';
import type { LiveAgentRow } from '@session/db';
import * as db from '@session/db';
import type { ListedParticipant } from '@session/media/server';
import { AgentMeasure } from './agent-measure.ts';
import { AgentPresence } from './agent-presence.ts';
import { MissedTexts } from './conversation/missed-texts.ts';
import { stateOf } from './next-step.ts';
import { removeGhost } from './restart-agent.ts';
import type { SupervisionDeps } from './supervision.ts';

export function isExternal({ role }: Pick<LiveAgentRow, 'role'>): boolean {
  return role === EXTERNAL_ROLE;
}

/**
 * An agent that runs elsewhere: a row without a workload. Only the participants of its room show whether the agent is
 * there, so any process can lead, and no lost event matters. Everything that must outlive this process is in the row. The
 * states:
 *
 * Starting: its participant is not in the room. After `externalWaitMs` the agent is Stopped, as `never_joined`, or as
 * `left` if it was in the room before.
 *
 * Running: its participant is in the room, or left it less than `externalGraceMs` ago, because programs reconnect.
 *
 * Stopped: it was asked to stop, its session is closed, or it stayed away. Its participant is removed. Its token
 * becomes useless, because the agent is barred like any other.
 */
export class ExternalAgent implements AsyncDisposable {
  readonly #deps: SupervisionDeps;
  readonly #presence: AgentPresence;
  readonly #measure: AgentMeasure;
  #missedTexts: MissedTexts;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /**
   * Since when each look of this process has found the room without the agent. Unset after a failed look, and when
   * another process has led meanwhile.
   */
  #absentSince: number | undefined;

  constructor(deps: SupervisionDeps) {
    this.#deps = deps;
    // No other participant is taken for an external agent, even if agents of this deployment have the keys of the media
    // server.
    this.#presence = new AgentPresence({
      ...deps,
      agents: { ...deps.agents, hasMediaKeys: false },
    });
    this.#measure = new AgentMeasure(deps.metrics);
    this.#missedTexts = new MissedTexts(deps);
  }

  async reconcile(row: LiveAgentRow): Promise<void> {
    const state = stateOf(row);
    if (state.reason !== null) return await this.#stop(row, state);
    // Rounds may come more often because of other agents.
    const { limits, ledSince } = this.#deps;
    const { externalPollMs, externalGraceMs } = limits;
    if (performance.now() - this.#lookedAt < externalPollMs / 2) return;
    if (this.#absentSince !== undefined && this.#absentSince < ledSince()) {
      this.#absentSince = undefined;
    }
    const participant = await this.#look(row);
    if (participant) {
      this.#absentSince = undefined;
      if (row.status === 'Starting') await this.#welcome(row, state, participant);
      else if (this.#missedTexts.mayLack(row)) await this.#sendMissed(row, participant);
      return;
    }
    this.#absentSince ??= performance.now();
    // Another process may have seen the agent join since `#absentSince`.
    const joinedMsAgo = row.nowMs - (row.joinedAt ?? Number.NEGATIVE_INFINITY);
    const absentMs = Math.min(performance.now() - this.#absentSince, joinedMsAgo);
    if (absentMs < externalGraceMs) return;
    if (row.status === 'Running') await this.#miss(row, absentMs);
    else await this.#giveUp(row, state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#missedTexts[Symbol.asyncDispose]();
  }

  async #look(row: LiveAgentRow) {
    try {
      const participant = await this.#presence.findReady(row);
      this.#lookedAt = performance.now();
      return participant;
    } catch (error) {
      // After an outage, the agent gets its whole time again to come back.
      this.#absentSince = undefined;
      throw error;
    }
  }

  async #welcome(
    row: LiveAgentRow,
    state: AgentState,
    participant: ListedParticipant,
  ): Promise<void> {
    await this.#sendMissed(row, participant);
    await this.#update(row, { ...state, status: 'Running' });
  }

  /** Begins again after each join, because the agent then lacks other texts than before. */
  async #sendMissed(row: LiveAgentRow, participant: ListedParticipant): Promise<void> {
    await this.#missedTexts[Symbol.asyncDispose]();
    this.#missedTexts = new MissedTexts(this.#deps);
    this.#missedTexts.send(row, participant);
  }

  async #miss({ id: agentId, sessionId }: LiveAgentRow, absentMs: number): Promise<void> {
    const { database, log } = this.#deps;
    if (await db.noteAgentLeft(database, agentId, Math.round(absentMs))) {
      log.info({ agentId, sessionId }, 'external agent left');
    }
  }

  async #giveUp(row: LiveAgentRow, state: AgentState): Promise<void> {
    const { externalWaitMs } = this.#deps.limits;
    const leftMsAgo = row.endsMsAgo.at(-1);
    const waitedMs = leftMsAgo ?? row.nowMs - Date.parse(row.createdAt);
    if (waitedMs < externalWaitMs) return;
    const seconds = externalWaitMs / 1000;
    const reason: StopReason = leftMsAgo === undefined ? 'never_joined' : 'left';
    const detail =
      reason === 'left'
        ? `The agent left its room, and did not come back within ${seconds} s.`
        : `The agent did not join its room within ${seconds} s.`;
    await this.#stop(row, { ...state, reason, detail });
  }

  async #stop(row: LiveAgentRow, state: AgentState): Promise<void> {
    if (!(await this.#update(row, { ...state, status: 'Stopped' }))) return;
    await removeGhost(row, state.reason, this.#deps.rooms);
  }

  async #update(row: LiveAgentRow, state: AgentState): Promise<boolean> {
    const { database, log } = this.#deps;
    const { id: agentId, sessionId, restarts } = row;
    if (!(await db.updateAgentState(database, agentId, { ...state, restarts }))) return false;
    this.#measure.stored(row, state);
    const { status, reason } = state;
    log.info({ agentId, sessionId, status, reason }, 'external agent status changed');
    return true;
  }
}
