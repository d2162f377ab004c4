import * as z from 'zod';
import { cutText } from '../clean-text.ts';
import { GREETING_REQUEST, NUDGE_REQUEST } from '../turn/notices.ts';

export const RehearsalRequest = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullable().default('') })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});
export type RehearsalRequest = z.infer<typeof RehearsalRequest>;

export interface Rehearsed {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: object }[];
}

const Deliverable = z.object({
  id: z.string(),
  title: z.string(),
  type: z.string(),
  choices: z.array(z.string()).default([]),
});

interface CurrentStep {
  readonly id: string;
  readonly title: string;
  readonly deliverable: z.infer<typeof Deliverable> | undefined;
}

const INTRODUCTION =
  'Hello! I am the rehearsal model, not a language model: I only walk through the plan.';
const NO_PLAN = 'There is no plan, so I say back what you say.';

/**
 * Answers by rules: asks for the deliverable of the current step, takes the user's next words as its value, and completes the
 * step. `back to <step>` reopens a step. Keeps no state: the request contains everything that it needs.
 */
export function rehearse({ messages, tools }: RehearsalRequest): Rehearsed {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  const step = currentStep(system);
  const names = new Set(tools.map((tool) => tool.function.name));
  const last = messages.at(-1);
  if (last?.role === 'tool') {
    const answered = messages.findLastIndex(({ role }) => role !== 'tool');
    const results = messages.slice(answered + 1).map(({ content }) => content ?? '');
    const isSet = results.every((result) => / (?:is set|has this value already)\.$/.test(result));
    return isSet && step && names.has('complete_step')
      ? completes(step)
      : says(afterTools(results, step));
  }
  const words = lastParagraph(last?.content ?? '');
  if (words === GREETING_REQUEST) return says(`${INTRODUCTION} ${step ? askFor(step) : NO_PLAN}`);
  if (words === NUDGE_REQUEST) return says(askFor(step));
  const [, reopened] = /^back to (\S+?)\.?$/i.exec(words) ?? [];
  if (reopened && names.has('reopen_step')) {
    const args = { step: reopened, reason: 'the user asked for it' };
    return { text: '', calls: [{ name: 'reopen_step', args }] };
  }
  if (step && names.has('complete_step')) return takes(step, words);
  return says(`You said: ${cutText(words, 200)}`);
}

function says(text: string): Rehearsed {
  return { text, calls: [] };
}

function takes(step: CurrentStep, words: string): Rehearsed {
  if (!step.deliverable) return completes(step);
  const args = { deliverable: step.deliverable.id, value: words };
  return { text: '', calls: [{ name: 'set_deliverable', args }] };
}

function completes({ id }: CurrentStep): Rehearsed {
  return { text: '', calls: [{ name: 'complete_step', args: { step: id } }] };
}

function afterTools(results: readonly string[], step: CurrentStep | undefined): string {
  const refusal = results.find((result) => / must | needs /.test(result));
  return refusal ? `That did not work: ${refusal} ${askFor(step)}` : `Noted. ${askFor(step)}`;
}

function askFor(step: CurrentStep | undefined): string {
  if (!step) return 'That was the whole plan. Thank you!';
  const { title, deliverable } = step;
  if (!deliverable) return `${title}: shall we go on?`;
  const form = {
    choice: ` (${deliverable.choices.join(', ')})`,
    date: ' (a date as YYYY-MM-DD)',
    number: ' (a number)',
  };
  const hint = Object.entries(form).find(([type]) => type === deliverable.type)?.[1] ?? '';
  return `Please tell me: ${deliverable.title}${hint}.`;
}

function currentStep(system: string): CurrentStep | undefined {
  const pattern = /^Current step:\nid: (.+)\ntitle: (.+)\n(?:deliverable: (.+)\n)?instructions:/m;
  const [, id, title, json] = pattern.exec(system) ?? [];
  if (id === undefined || title === undefined) return undefined;
  const { data: deliverable } = Deliverable.safeParse(json ? JSON.parse(json) : undefined);
  return { id, title, deliverable };
}

function lastParagraph(content: string): string {
  return content.split('\n\n').at(-1)?.trim() ?? '';
}
