import type { DeliverableState, StepState } from './plan-state.ts';

export interface StateEvent {
  readonly type: 'state_change_notification';
  readonly id: string;
  readonly at: string;
  readonly state:
    | 'ready'
    | 'step_started'
    | 'step_reopened'
    | 'plan_completed'
    | 'plan_unsupported'
    | 'tools_unsupported'
    | 'interrupted'
    | 'degraded'
    | 'recovered'
    | 'stopping';
  readonly step?: string;
  readonly reason?: string;
  readonly message: string;
}

export interface TodoListEvent {
  readonly type: 'complete_todo_list';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly plan: { readonly id: string; readonly name: string };
  readonly steps: readonly StepState[];
  readonly message: string;
}

export interface DeliverableEvent {
  readonly type: 'plan_deliverable_update';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly plan: string;
  readonly step: string;
  readonly deliverable: Pick<DeliverableState, 'id' | 'title' | 'value' | 'version'>;
  readonly message: string;
}

/** The largest size, in bytes of UTF-8, that the arguments or the result of a tool call have in the history. */
export const MAX_CALL_PART_BYTES = 2048;

/**
 * `started` is reported only for a call that may have effects, or that continues when a person speaks, so that after a
 * crash the next agent finds the call in the history. `arguments` are an object, or the beginning of its JSON.
 * `truncated`: arguments or result are not complete.
 */
export interface ToolCallEvent {
  readonly type: 'tool_call';
  readonly id: string;
  readonly at: string;
  readonly call: string;
  readonly tool: string;
  readonly source: string;
  readonly state: 'started' | 'done' | 'failed' | 'cancelled' | 'timeout';
  readonly arguments?: unknown;
  /** The status of the HTTP answer, if there was one. */
  readonly status?: number;
  readonly durationMs?: number;
  readonly result?: string;
  readonly truncated?: boolean;
  readonly step?: string;
  readonly message: string;
}

/** Reports that the agent has ended the conversation. `reason` is in the model's words, on one line. */
export interface EndEvent {
  readonly type: 'conversation_ended';
  readonly id: string;
  readonly at: string;
  readonly reason: string;
  readonly message: string;
}

/** The agent to which a conversation is handed over, by the name in the agent template of the first agent. */
export interface HandoverAgent {
  readonly agentTemplateId: string;
  readonly name: string;
}

/**
 * The state of a handover: to a person, or with `to` to another agent. `requested`: the agent waits. `taken`: a person
 * has come; with `to`, the other agent has come, and reports this itself. `done`: the person has left, and the agent
 * continues. `expired`: nobody has come, and the agent continues. `reason` is in the model's words, on one line.
 */
export interface HandoverEvent {
  readonly type: 'handover';
  readonly id: string;
  readonly at: string;
  readonly state: 'requested' | 'taken' | 'done' | 'expired';
  readonly to?: HandoverAgent;
  readonly reason: string;
  readonly message: string;
}

export type AgentEvent =
  | StateEvent
  | TodoListEvent
  | DeliverableEvent
  | ToolCallEvent
  | EndEvent
  | HandoverEvent;
