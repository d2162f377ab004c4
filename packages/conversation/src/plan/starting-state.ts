import { isDeepStrictEqual } from 'node:util';
import type { DeliverableState, PlanState, StepState } from '@session/contract/room';
import { activateNext } from './activate-next.ts';
import { canonicalValue } from './canonical-value.ts';
import { deliverablesOf, type Plan, titleOf } from './plan.ts';

interface StartingState {
  readonly state: PlanState;
  readonly isNewToRoom: boolean;
}

export function startingState(plan: Plan, stored: PlanState | undefined): StartingState {
  const state = stored ? restoredState(plan, stored) : initialState(plan);
  const isNewToRoom = !stored || !sameSteps(state.steps, stored.steps);
  return { state: isNewToRoom ? { ...state, revision: state.revision + 1 } : state, isNewToRoom };
}

function initialState({ id, name, steps }: Plan): PlanState {
  const pending = steps.map((step) => ({
    id: step.id,
    title: titleOf(step),
    state: 'pending' as const,
  }));
  return {
    id,
    name: titleOf({ id, title: name }),
    revision: 0,
    steps: activateNext(pending),
    deliverables: [],
  };
}

/**
 * Returns as much of the stored state as still fits the plan: new steps are pending, and values that their type no longer
 * allows are dropped.
 */
function restoredState(plan: Plan, stored: PlanState): PlanState {
  const initial = initialState(plan);
  const known = new Map(stored.steps.map((step) => [step.id, step]));
  const steps = initial.steps.map((step): StepState => {
    const { state = 'pending', completedAt } = known.get(step.id) ?? {};
    return { ...step, state, ...(state === 'done' && completedAt && { completedAt }) };
  });
  const active = steps.find((step) => step.state === 'active');
  const single = steps.map(
    (step): StepState =>
      step.state === 'active' && step !== active ? { ...step, state: 'pending' } : step,
  );
  const planned = new Map(deliverablesOf(plan).map((item) => [item.deliverable.id, item]));
  const deliverables = stored.deliverables.flatMap((held): DeliverableState[] => {
    const found = planned.get(held.id);
    const canonical = found && canonicalValue(found.deliverable, held.value).value;
    if (!found || canonical !== held.value) return [];
    return [{ ...held, title: titleOf(found.deliverable), step: found.step }];
  });
  return {
    ...initial,
    revision: stored.revision,
    steps: active ? single : activateNext(single),
    deliverables,
  };
}

function sameSteps(left: readonly StepState[], right: readonly StepState[]): boolean {
  return isDeepStrictEqual(left.map(withoutTime), right.map(withoutTime));
}

function withoutTime({ id, title, state }: StepState): Partial<StepState> {
  return { id, title, state };
}
