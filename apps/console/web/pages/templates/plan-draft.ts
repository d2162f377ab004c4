import type { NewPlanTemplate, PlanTemplate } from '@session/contract';
import type * as z from 'zod';
import { withNew } from './keyed-rows.ts';

export const DELIVERABLE_TYPES = ['text', 'number', 'date', 'choice'] as const;

/** Without `deliverable` the step collects nothing. */
export interface StepDraft {
  readonly key: number;
  readonly id: string | null;
  readonly title: string;
  readonly instructions: string;
  readonly deliverable: DeliverableDraft | null;
}

export interface DeliverableDraft {
  readonly id: string | null;
  readonly title: string;
  /** An unknown type of a newer API is kept as it is. */
  readonly type: string;
  readonly choices: string;
  readonly isRequired: boolean;
}

export interface PlanDraft {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly StepDraft[];
}

export const NO_DELIVERABLE: DeliverableDraft = {
  id: null,
  title: '',
  type: 'text',
  choices: '',
  isRequired: true,
};

export type PlanBody = z.input<typeof NewPlanTemplate>;

export function planDraftOf(
  plan: Pick<PlanTemplate, 'name' | 'description' | 'steps'> | null,
): PlanDraft {
  if (!plan) return withStep({ name: '', description: '', steps: [] });
  const steps = plan.steps.map(({ id, title, instructions, deliverable }, key) => {
    return { key, id, title, instructions, deliverable: deliverable ? draftOf(deliverable) : null };
  });
  return { name: plan.name, description: plan.description ?? '', steps };
}

export function withStep(draft: PlanDraft): PlanDraft {
  const step = { id: null, title: '', instructions: '', deliverable: null };
  return { ...draft, steps: withNew<Omit<StepDraft, 'key'>>(draft.steps, step) };
}

export function withStepMoved(draft: PlanDraft, key: number, to: number): PlanDraft {
  const from = draft.steps.findIndex((candidate) => candidate.key === key);
  const step = draft.steps[from];
  if (!step || to === from || to < 0 || to >= draft.steps.length) return draft;
  return { ...draft, steps: draft.steps.toSpliced(from, 1).toSpliced(to, 0, step) };
}

export function planBody({ name, description, steps }: PlanDraft): PlanBody {
  const text = description.trim();
  return { name: name.trim(), description: text === '' ? null : text, steps: steps.map(stepBody) };
}

function stepBody({ id, title, instructions, deliverable }: StepDraft): PlanBody['steps'][number] {
  return {
    ...(id !== null && { id }),
    title: title.trim(),
    instructions: instructions.trim(),
    ...(deliverable && { deliverable: deliverableBody(deliverable) }),
  };
}

function deliverableBody({ id, title, type, choices, isRequired }: DeliverableDraft) {
  const named = choices.split('\n').map((choice) => choice.trim());
  const known = DELIVERABLE_TYPES.find((candidate) => candidate === type) ?? 'text';
  return {
    ...(id !== null && { id }),
    title: title.trim(),
    type: known,
    ...(known === 'choice' && { choices: named.filter((choice) => choice !== '') }),
    required: isRequired,
  };
}

function draftOf(deliverable: NonNullable<PlanTemplate['steps'][number]['deliverable']>) {
  const { id, title, type, choices = [], required = false } = deliverable;
  return { id, title, type, choices: choices.join('\n'), isRequired: required };
}
