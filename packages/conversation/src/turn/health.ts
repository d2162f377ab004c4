import type { AgentEvent } from '@session/contract/room';
import { FAILURES, type FailureReason, type ModelFailure } from '../model/model-failure.ts';
import { agentStateEvent } from '../plan/plan-event.ts';
import { RECOVERED_STATUS, STATUSES } from './notices.ts';

/** After this many refused turns in a row an agent stops. */
const MAX_REFUSALS = 3;

/**
 * Whether the model answers.
 *
 * - well: each answer of the model leads here, and the way out of `degraded` is reported once.
 * - degraded: for one reason at a time; a new reason is reported once.
 */
export class ModelHealth {
  #reason: FailureReason | undefined;
  #refusals = 0;

  /** Whether the model refused so often that trying again makes no sense: the agent's settings are wrong. */
  get isRefusedForGood(): boolean {
    return this.#refusals >= MAX_REFUSALS;
  }

  /** A turn failed. Returns the events to report. */
  failed(failure: ModelFailure, at: string): AgentEvent[] {
    const { reason } = FAILURES[failure.kind];
    this.#refusals = reason === 'model_refused' ? this.#refusals + 1 : 0;
    return this.degraded(reason, at);
  }

  /** The model is not well, and the turn goes on. Returns the events to report. */
  degraded(reason: FailureReason, at: string): AgentEvent[] {
    if (this.#reason === reason) return [];
    this.#reason = reason;
    return [agentStateEvent(at, { state: 'degraded', reason, message: STATUSES[reason] })];
  }

  /** A turn is complete. Returns the events to report. */
  answered(at: string): AgentEvent[] {
    this.#refusals = 0;
    if (this.#reason === undefined) return [];
    this.#reason = undefined;
    return [agentStateEvent(at, { state: 'recovered', message: RECOVERED_STATUS })];
  }
}
