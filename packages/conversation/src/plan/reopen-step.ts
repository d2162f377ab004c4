import type { Fields, PlanState, StepState } from '@session/contract/room';
import { type EventContext, stepEvents } from './plan-event.ts';
import { changed, refused, type ToolEffect, unchanged } from './tool-outcome.ts';

export function reopenStep(state: PlanState, args: Fields, context: EventContext): ToolEffect {
  const { steps } = state;
  const asked = steps.find((step) => step.id === args['step']);
  if (asked?.state === 'active') return unchanged(`${asked.id} is the current step already.`);
  if (asked?.state !== 'done') {
    const done = steps.filter((step) => step.state === 'done').map(({ id }) => id);
    if (done.length === 0) return refused('No step is done, so none can be reopened.');
    return refused(`step must be one of: ${done.join(', ')}.`);
  }
  const reopened = steps.map((step): StepState => {
    if (step === asked) return { id: step.id, title: step.title, state: 'active' };
    return step.state === 'active' ? { ...step, state: 'pending' } : step;
  });
  const after = { ...state, revision: state.revision + 1, steps: reopened };
  const why = typeof args['reason'] === 'string' ? args['reason'] : '';
  const events = stepEvents(after, context, 'step_reopened', why);
  return changed(`${asked.id} is the current step again.`, after, events);
}
