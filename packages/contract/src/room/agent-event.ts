import type { DeliverableState, StepState } from './plan-state.ts';

/** A notification of an agent about itself or a step. `message` is the sentence that people read. */
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
  /** Why an agent is degraded. */
  readonly reason?: string;
  readonly message: string;
}

/** All steps of a plan with their states. Sent when a plan begins and whenever a step's state changes. */
export interface TodoListEvent {
  readonly type: 'complete_todo_list';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly plan: { readonly id: string; readonly name: string };
  readonly steps: readonly StepState[];
  readonly message: string;
}

/** A new version of a deliverable. */
export interface DeliverableEvent {
  readonly type: 'plan_deliverable_update';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  /** The plan's id. */
  readonly plan: string;
  readonly step: string;
  readonly deliverable: Pick<DeliverableState, 'id' | 'title' | 'value' | 'version'>;
  readonly message: string;
}

/** An event that an agent sends into its room as a reliable JSON packet. */
export type AgentEvent = StateEvent | TodoListEvent | DeliverableEvent;
