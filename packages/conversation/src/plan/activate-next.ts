import type { StepState } from '@session/contract/room';

/** Makes the earliest step active that is not done, if no step is. */
export function activateNext(steps: readonly StepState[]): StepState[] {
  const next = steps.findIndex((step) => step.state !== 'done');
  return steps.map((step, index) => (index === next ? { ...step, state: 'active' } : step));
}
