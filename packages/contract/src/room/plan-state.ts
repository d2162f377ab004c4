/** The newest state of a step, as a todo list reports it. */
export interface StepState {
  readonly id: string;
  readonly title: string;
  readonly state: 'pending' | 'active' | 'done';
  readonly completedAt?: string;
}

/** The newest version of a deliverable. `at` is when it was set, ISO 8601 in UTC. */
export interface DeliverableState {
  readonly id: string;
  readonly title: string;
  readonly step: string;
  readonly value: string | number;
  readonly version: number;
  readonly at: string;
}

/** How far a plan is. `revision` counts its changes. */
export interface PlanState {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly steps: readonly StepState[];
  readonly deliverables: readonly DeliverableState[];
}
