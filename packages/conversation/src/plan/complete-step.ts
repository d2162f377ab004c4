import type { Fields, PlanState } from '@session/contract/room';
import { activateNext } from './activate-next.ts';
import type { Plan } from './plan.ts';
import { type EventContext, stepEvents } from './plan-event.ts';
import { changed, refused, type ToolEffect, unchanged } from './tool-outcome.ts';

export function completeStep(
  plan: Plan,
  state: PlanState,
  args: Fields,
  context: EventContext,
): ToolEffect {
  const { steps, deliverables } = state;
  const active = steps.find((step) => step.state === 'active');
  const asked = steps.find((step) => step.id === args['step']);
  if (asked?.state === 'done') return unchanged(`${asked.id} is done already.`);
  if (!active) return refused('All steps are done already.');
  if (asked !== active) return refused(`step must be one of: ${active.id}.`);
  const needed = plan.steps.find((step) => step.id === active.id)?.deliverable;
  if (needed?.required && !deliverables.some(({ id }) => id === needed.id)) {
    return refused(`${active.id} needs ${needed.id} first: call set_deliverable with its value.`);
  }
  const done = steps.map((step) =>
    step === active ? { ...step, state: 'done' as const, completedAt: context.at } : step,
  );
  const after = { ...state, revision: state.revision + 1, steps: activateNext(done) };
  return changed(`${active.id} is done.`, after, stepEvents(after, context, 'step_started'));
}
