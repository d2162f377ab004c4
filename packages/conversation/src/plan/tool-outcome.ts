import type { AgentEvent, PlanState } from '@session/contract/room';

/** `sentence` goes back to the model; before that, `events` go into the room. */
export interface ToolOutcome {
  readonly isRefused: boolean;
  readonly sentence: string;
  readonly events: readonly AgentEvent[];
}

export interface ToolEffect {
  readonly outcome: ToolOutcome;
  readonly state?: PlanState;
}

export function refused(sentence: string): ToolEffect {
  return { outcome: { isRefused: true, sentence, events: [] } };
}

export function unchanged(sentence: string): ToolEffect {
  return { outcome: { isRefused: false, sentence, events: [] } };
}

export function changed(
  sentence: string,
  state: PlanState,
  events: readonly AgentEvent[],
): ToolEffect {
  return { outcome: { isRefused: false, sentence, events }, state };
}
