import type { AgentEvent, PlanState } from '@session/contract/room';

/** What a tool call did. `sentence` goes back to the model; the events go into the room before that. */
export interface ToolOutcome {
  readonly isRefused: boolean;
  readonly sentence: string;
  readonly events: readonly AgentEvent[];
}

/** The outcome of a tool call, and the plan's state after it. Without a state the call changed nothing. */
export interface ToolEffect {
  readonly outcome: ToolOutcome;
  readonly state?: PlanState;
}

/** Returns the effect of a call that asks for what is not allowed. The sentence says what is allowed. */
export function refused(sentence: string): ToolEffect {
  return { outcome: { isRefused: true, sentence, events: [] } };
}

/** Returns the effect of a call that asks for what is so already. */
export function unchanged(sentence: string): ToolEffect {
  return { outcome: { isRefused: false, sentence, events: [] } };
}

/** Returns the effect of a call that changed the plan. */
export function changed(
  sentence: string,
  state: PlanState,
  events: readonly AgentEvent[],
): ToolEffect {
  return { outcome: { isRefused: false, sentence, events }, state };
}
