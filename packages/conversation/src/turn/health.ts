import type { AgentEvent } from '@session/contract/room';
import { FAILURES, type ModelFailure } from '../model/model-failure.ts';
import { agentStateEvent } from '../plan/plan-event.ts';
import type { ToolFault } from '../tools/mcp/mcp-link.ts';
import {
  type DegradedReason,
  RECOVERED_STATUS,
  STATUSES,
  TOOLS_RECOVERED_STATUS,
} from './notices.ts';

const MAX_REFUSALS = 3;

/** Until the first answer, `declined` counts too, because some endpoints answer 400 to a wrong key or model. */
const COUNTED_BEFORE_ANSWER: ReadonlySet<string> = new Set(['refused', 'declined']);

/**
 * Tracks whether the model answers, and whether all tools are there. A fault of the model is reported before one of tools.
 * Each method returns the events to report: `degraded` once for each reason, and `recovered` once.
 */
export class ModelHealth {
  #reason: DegradedReason | undefined;
  #toolFault: ToolFault | undefined;
  #refusals = 0;
  #hasAnswered = false;

  get isRefusedForGood(): boolean {
    return this.#refusals >= MAX_REFUSALS;
  }

  failed(failure: ModelFailure, at: string): AgentEvent[] {
    const { kind } = failure;
    const isRefusal = this.#hasAnswered ? kind === 'refused' : COUNTED_BEFORE_ANSWER.has(kind);
    this.#refusals = isRefusal ? this.#refusals + 1 : 0;
    return this.degraded(FAILURES[kind].reason, at);
  }

  degraded(reason: DegradedReason, at: string): AgentEvent[] {
    if (this.#reason === reason) return [];
    this.#reason = reason;
    return [agentStateEvent(at, { state: 'degraded', reason, message: STATUSES[reason] })];
  }

  /** Notes an answer. If `isFallback`, the fallback model answered, so the agent stays degraded. */
  answered(at: string, isFallback: boolean): AgentEvent[] {
    this.#refusals = 0;
    this.#hasAnswered = true;
    if (isFallback) return this.degraded('model_fallback', at);
    if (this.#reason === undefined || this.#reason === this.#toolFault) return [];
    if (this.#toolFault) return this.degraded(this.#toolFault, at);
    return this.#recovered(RECOVERED_STATUS, at);
  }

  tools(fault: ToolFault | undefined, at: string): AgentEvent[] {
    const former = this.#toolFault;
    if (fault === former) return [];
    this.#toolFault = fault;
    if (this.#reason !== former) return [];
    return fault ? this.degraded(fault, at) : this.#recovered(TOOLS_RECOVERED_STATUS, at);
  }

  #recovered(message: string, at: string): AgentEvent[] {
    this.#reason = undefined;
    return [agentStateEvent(at, { state: 'recovered', message })];
  }
}
