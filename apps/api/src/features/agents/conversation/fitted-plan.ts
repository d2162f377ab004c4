import type { DeliverableState, PlanState } from '@session/contract/room';
import { cutToBytes, jsonBytes, levelFor } from './json-bytes.ts';

/** How much of each value's JSON is kept at least, in bytes. An agent's prompt shows 200 characters of a value. */
const KEPT_VALUE_BYTES = 200;

interface FittedDeliverable extends DeliverableState {
  readonly truncated?: true;
}

interface FittedPlan {
  readonly plan: (PlanState & { readonly deliverables: readonly FittedDeliverable[] }) | undefined;
  readonly isCut: boolean;
}

/**
 * Returns a plan with at most `maxBytes` of JSON, with the longest values cut; no plan if not even the steps fit. Whole
 * deliverables are left out only if an agent reports too many.
 */
export function fittedPlan(plan: PlanState, maxBytes: number): FittedPlan {
  let left = maxBytes - jsonBytes({ ...plan, deliverables: [] });
  if (left < 0) return { plan: undefined, isCut: true };
  const kept = plan.deliverables.filter((deliverable) => {
    const least = leastBytes(deliverable);
    const isKept = least <= left;
    if (isKept) left -= least;
    return isKept;
  });
  const sizes = kept.map(({ value }) => jsonBytes(value));
  const reserved = sizes.reduce((sum, size) => sum + Math.min(size, KEPT_VALUE_BYTES), 0);
  const level = levelFor(sizes, left + reserved);
  const deliverables = kept.map((deliverable) => fitted(deliverable, level));
  const isCut = kept.length < plan.deliverables.length || sizes.some((size) => size > level);
  return { plan: { ...plan, deliverables }, isCut };
}

function leastBytes({ value, ...rest }: DeliverableState): number {
  const marked: Omit<FittedDeliverable, 'value'> = { ...rest, truncated: true };
  const valueBytes = Math.min(jsonBytes(value), KEPT_VALUE_BYTES);
  return jsonBytes({ ...marked, value: 0 }) + ','.length + valueBytes;
}

function fitted(deliverable: DeliverableState, level: number): FittedDeliverable {
  const { value } = deliverable;
  if (typeof value === 'number' || jsonBytes(value) <= level) return deliverable;
  return { ...deliverable, value: cutToBytes(value, level), truncated: true };
}
