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

export type AgentEvent = StateEvent | TodoListEvent | DeliverableEvent;
