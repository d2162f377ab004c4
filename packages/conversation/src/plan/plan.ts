import { NewPlanTemplate, type PlanStep, PlanTemplate, planSteps } from '@session/contract';
import { StartError } from '@session/kit';
import * as z from 'zod';
import { cutText, oneLine } from '../clean-text.ts';
import { planFault } from './plan-fault.ts';

const TITLE_CHARACTERS = 200;

export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly steps: readonly PlanStep[];
}

export type Deliverable = NonNullable<PlanStep['deliverable']>;

export interface PlannedDeliverable {
  readonly step: string;
  readonly deliverable: Deliverable;
}

const PlanVariable = PlanTemplate.pick({ id: true, name: true, description: true, steps: true });

const ADDED_BY_API = new Set(['id', 'projectId', 'version', 'createdAt', 'updatedAt']);

const UNSTORED_PLAN_ID = 'plan';
const PlanId = z.string().min(1).max(64).default(UNSTORED_PLAN_ID);

/** Reads the variable `PLAN`. Throws a StartError that names each faulty field, and no value. */
export function readPlanVariable(text: string): Plan {
  const plan = readJson(text, 'PLAN');
  const result = PlanVariable.safeParse(plan);
  if (result.success) return result.data;
  throw planFault('PLAN', result.error, plan);
}

/**
 * Reads a plan as authors write it: the body of `POST /projects/:projectId/plan-templates`, or what `GET` returns. Missing
 * ids become `step-1` and `deliverable-1`, as in the API. Throws a StartError that names each faulty field of `source`.
 */
export function readPlanFile(text: string, source: string): Plan {
  const plan = readJson(text, source);
  const parsed = z.looseObject({ id: PlanId }).safeParse(plan);
  if (!parsed.success) throw planFault(source, parsed.error, plan);
  const authored = Object.entries(parsed.data).filter(([name]) => !ADDED_BY_API.has(name));
  const result = NewPlanTemplate.safeParse(Object.fromEntries(authored));
  if (!result.success) throw planFault(source, result.error, plan);
  const { name, description = null, steps } = result.data;
  return { id: parsed.data.id, name, description, steps: planSteps(steps) };
}

export function deliverablesOf(plan: Plan): PlannedDeliverable[] {
  return plan.steps.flatMap(({ id, deliverable }) =>
    deliverable ? [{ step: id, deliverable }] : [],
  );
}

/**
 * Returns the title for an event. It is never empty, and at most as long as an authored title, because values of variables may
 * make a title too long for a packet.
 */
export function titleOf({ id, title }: { readonly id: string; readonly title: string }): string {
  return cutText(oneLine(title), TITLE_CHARACTERS) || id;
}

/** The parser's own message quotes the text, so only the position is taken from it. */
function readJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    const position = line === undefined ? '' : `: line ${line}, column ${column}`;
    throw new StartError(`${source} is not valid JSON${position}.`);
  }
}
