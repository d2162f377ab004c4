export interface StepState {
  readonly id: string;
  readonly title: string;
  readonly state: 'pending' | 'active' | 'done';
  readonly completedAt?: string;
}

export interface DeliverableState {
  readonly id: string;
  readonly title: string;
  readonly step: string;
  readonly value: string | number;
  readonly version: number;
  readonly at: string;
}

export interface PlanState {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly steps: readonly StepState[];
  readonly deliverables: readonly DeliverableState[];
}
