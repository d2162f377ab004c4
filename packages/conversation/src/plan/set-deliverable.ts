import type { DeliverableState, Fields, PlanState } from '@session/contract/room';
import { canonicalValue } from './canonical-value.ts';
import { deliverablesOf, type Plan, titleOf } from './plan.ts';
import { deliverableEvent, type EventContext } from './plan-event.ts';
import { changed, refused, type ToolEffect, unchanged } from './tool-outcome.ts';

export function setDeliverable(
  plan: Plan,
  state: PlanState,
  args: Fields,
  context: EventContext,
): ToolEffect {
  const known = deliverablesOf(plan);
  const found = known.find(({ deliverable }) => deliverable.id === args['deliverable']);
  if (!found) {
    const ids = known.map(({ deliverable }) => deliverable.id);
    if (ids.length === 0) return refused('This plan has no deliverables.');
    return refused(`deliverable must be one of: ${ids.join(', ')}.`);
  }
  const { id } = found.deliverable;
  const canonical = canonicalValue(found.deliverable, args['value']);
  if (canonical.value === undefined) return refused(`value of ${id} ${canonical.rule}.`);
  const before = state.deliverables.find((deliverable) => deliverable.id === id);
  if (before?.value === canonical.value) return unchanged(`${id} has this value already.`);
  const set = {
    id,
    title: titleOf(found.deliverable),
    step: found.step,
    value: canonical.value,
    version: (before?.version ?? 0) + 1,
    at: context.at,
  };
  const after = {
    ...state,
    revision: state.revision + 1,
    deliverables: withDeliverable(state.deliverables, set),
  };
  return changed(`${id} is set.`, after, [deliverableEvent(after, context, set)]);
}

function withDeliverable(
  deliverables: readonly DeliverableState[],
  set: DeliverableState,
): DeliverableState[] {
  const isKnown = deliverables.some(({ id }) => id === set.id);
  if (!isKnown) return [...deliverables, set];
  return deliverables.map((deliverable) => (deliverable.id === set.id ? set : deliverable));
}
