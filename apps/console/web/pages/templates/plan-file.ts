import {
  NO_DELIVERABLE,
  type PlanDraft,
  planBody,
  planDraftOf,
  type StepDraft,
} from './plan-draft.ts';

type Fields = ReadonlyMap<string, unknown>;

export function planFile(draft: PlanDraft): string {
  return `${JSON.stringify(planBody(draft), null, 2)}\n`;
}

export function planFileName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${plain.replaceAll(/^-|-$/g, '').slice(0, 60) || 'plan'}.json`;
}

/** Returns the plan of a file, or a sentence about why the file contains no plan. The API checks the rest. */
export function readPlanFile(text: string): PlanDraft | string {
  const plan = fieldsOf(parsed(text));
  if (!plan) return 'This file is not a JSON object.';
  const listed = plan.get('steps');
  if (!Array.isArray(listed) || listed.length === 0) return 'This file has no list `steps`.';
  const steps: StepDraft[] = [];
  for (const [key, item] of listed.entries()) {
    const step = stepOf(item, key);
    if (!step) return `Step ${key + 1} of this file has no title or no instructions.`;
    steps.push(step);
  }
  return {
    ...planDraftOf(null),
    name: textOf(plan.get('name')),
    description: textOf(plan.get('description')),
    steps,
  };
}

function stepOf(item: unknown, key: number): StepDraft | undefined {
  const step = fieldsOf(item);
  const title = textOf(step?.get('title'));
  const instructions = textOf(step?.get('instructions'));
  if (!step || !title || !instructions) return undefined;
  return {
    key,
    id: textOf(step.get('id')) || null,
    title,
    instructions,
    deliverable: deliverableOf(step.get('deliverable')),
  };
}

/** A plain string is short for an optional deliverable with that title. */
function deliverableOf(item: unknown): StepDraft['deliverable'] {
  if (typeof item === 'string') return { ...NO_DELIVERABLE, title: item, isRequired: false };
  const fields = fieldsOf(item);
  if (!fields) return null;
  const choices = fields.get('choices');
  return {
    id: textOf(fields.get('id')) || null,
    title: textOf(fields.get('title')),
    type: textOf(fields.get('type')) || 'text',
    choices: Array.isArray(choices) ? choices.map(textOf).join('\n') : '',
    isRequired: fields.get('required') === true,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  const isFields = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isFields ? new Map(Object.entries(value)) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
