import type { AgentState } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import type { Metrics } from '../../http/metrics/metrics.ts';

export class AgentMeasure {
  readonly #metrics: Metrics;
  #hasJoined = false;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  stored({ runningAt }: LiveAgentRow, { status, reason }: AgentState): void {
    this.#hasJoined = status === 'Running' && runningAt === null;
    if (status === 'Stopped') this.#metrics.agentEnds.inc({ reason: reason ?? 'unknown' });
  }

  read({ role, createdAt, runningAt }: LiveAgentRow): void {
    if (!this.#hasJoined || runningAt === null) return;
    this.#hasJoined = false;
    const seconds = (Date.parse(runningAt) - Date.parse(createdAt)) / 1000;
    this.#metrics.agentJoinDuration.observe({ role }, seconds);
  }
}
