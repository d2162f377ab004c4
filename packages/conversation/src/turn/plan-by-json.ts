import type { PlanState } from '@session/contract/room';
import * as z from 'zod';
import type { ToolCall } from '../model/chat-message.ts';
import { isTooDeep, parseJson } from '../parse-json.ts';
import { deliverablesOf, type Plan } from '../plan/plan.ts';

const Progress = z.object({
  deliverables: z.record(z.string(), z.unknown()).catch({}),
  stepDone: z.boolean().catch(false),
});

export function progressQuestion(plan: Plan, { steps }: PlanState): string {
  const active = steps.find((step) => step.state === 'active');
  const wanted = deliverablesOf(plan).map(({ deliverable }) => JSON.stringify(deliverable));
  return [
    '[Answer with JSON alone, in this form: {"deliverables": {"<id>": "<value>"}, "stepDone": false}.',
    'deliverables: the values that the user has given, and no others.',
    `stepDone: whether the instructions of the step ${active?.id ?? ''} are fulfilled.`,
    `The deliverables are: ${wanted.join(', ')}]`,
  ].join('\n');
}

/**
 * Returns the tool calls that an answer to `progressQuestion` stands for; undefined if the answer has no such JSON.
 */
export function progressCalls(answer: string, { steps }: PlanState): ToolCall[] | undefined {
  const json = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1);
  const parsed = parseJson(json);
  const { data: progress } = Progress.safeParse(parsed);
  if (!progress || isTooDeep(parsed)) return undefined;
  const values = Object.entries(progress.deliverables)
    .filter(([, value]) => value !== null && value !== '')
    .map(([deliverable, value]) => toolCall('set_deliverable', { deliverable, value }));
  const active = steps.find((step) => step.state === 'active');
  const isDone = progress.stepDone && active !== undefined;
  return isDone ? [...values, toolCall('complete_step', { step: active.id })] : values;
}

function toolCall(name: string, args: unknown): ToolCall {
  return { id: '', name, arguments: JSON.stringify(args) };
}
