import type { NewPlanTemplate, PlanStep } from './plan-template.ts';

type NewStep = NewPlanTemplate['steps'][number];

/**
 * Returns the steps with an id for each step and each deliverable: `step-1`, `deliverable-1` and so on if none was
 * sent.
 */
export function planSteps(steps: readonly NewStep[]): PlanStep[] {
  const taken = new Set(steps.flatMap(idsOf));
  const nextId = (prefix: string) => {
    let number = 1;
    while (taken.has(`${prefix}-${number}`)) number += 1;
    taken.add(`${prefix}-${number}`);
    return `${prefix}-${number}`;
  };
  return steps.map(({ id, title, instructions, deliverable }) => ({
    id: id ?? nextId('step'),
    title,
    instructions,
    ...(deliverable !== undefined && {
      deliverable: { ...expanded(deliverable), id: idOf(deliverable) ?? nextId('deliverable') },
    }),
  }));
}

function expanded(deliverable: NonNullable<NewStep['deliverable']>) {
  return typeof deliverable === 'string'
    ? { title: deliverable, type: 'text' as const }
    : deliverable;
}

function idOf(deliverable: NewStep['deliverable']): string | undefined {
  return typeof deliverable === 'object' ? deliverable.id : undefined;
}

function idsOf({ id, deliverable }: NewStep): string[] {
  return [id, idOf(deliverable)].filter((sent) => sent !== undefined);
}
