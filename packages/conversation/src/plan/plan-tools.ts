import type { PlanState } from '@session/contract/room';
import { deliverablesOf, type Plan } from './plan.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. Schemas of MCP servers are untrusted: they are passed on, but never executed. */
  readonly parameters: { readonly type: 'object'; readonly [keyword: string]: unknown };
}

const MAX_NOTE_LENGTH = 200;

const PLAN_TOOL_NAMES = new Set(['set_deliverable', 'complete_step', 'reopen_step']);

export function isPlanTool(name: string): boolean {
  return PLAN_TOOL_NAMES.has(name);
}

/**
 * Returns the tools that make sense in this state. Their names are fixed, and ids are passed as arguments, because a dot in
 * an id would break a provider's rule for names.
 */
export function planTools(plan: Plan, state: PlanState): ToolDefinition[] {
  const deliverables = deliverablesOf(plan).map(({ deliverable }) => deliverable.id);
  const active = state.steps.find((step) => step.state === 'active');
  const done = state.steps.filter((step) => step.state === 'done').map(({ id }) => id);
  return [
    ...(deliverables.length > 0 ? [setDeliverable(deliverables)] : []),
    ...(active ? [completeStep(active.id)] : []),
    ...(done.length > 0 ? [reopenStep(done)] : []),
  ];
}

function setDeliverable(ids: readonly string[]): ToolDefinition {
  return {
    name: 'set_deliverable',
    description:
      'Stores a value that the user gave. Call it as soon as the user states or changes the value. Never invent a value.',
    parameters: {
      type: 'object',
      properties: {
        deliverable: { type: 'string', enum: ids },
        value: {
          type: 'string',
          description:
            'A number in digits, a date as YYYY-MM-DD, a choice exactly as listed, or a text.',
        },
      },
      required: ['deliverable', 'value'],
    },
  };
}

function completeStep(id: string): ToolDefinition {
  return {
    name: 'complete_step',
    description:
      'Marks the current step as done. Call it when the instructions of the step are fulfilled.',
    parameters: {
      type: 'object',
      properties: {
        step: { type: 'string', enum: [id] },
        note: { type: 'string', maxLength: MAX_NOTE_LENGTH },
      },
      required: ['step'],
    },
  };
}

function reopenStep(ids: readonly string[]): ToolDefinition {
  return {
    name: 'reopen_step',
    description: 'Returns to a step that is done. Call it when the user wants to change it.',
    parameters: {
      type: 'object',
      properties: {
        step: { type: 'string', enum: ids },
        reason: { type: 'string', maxLength: MAX_NOTE_LENGTH },
      },
      required: ['step', 'reason'],
    },
  };
}
