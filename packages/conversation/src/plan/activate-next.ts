import type { StepState } from '@session/contract/room';

export function activateNext(steps: readonly StepState[]): StepState[] {
  const next = steps.findIndex((step) => step.state !== 'done');
  return steps.map((step, index) => (index === next ? { ...step, state: 'active' } : step));
}
