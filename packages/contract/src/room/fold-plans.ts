import type { AgentReport } from './agent-report.ts';
import { isCount, isFields, isNumber, isText } from './fields.ts';
import type { DeliverableState, PlanState, StepState } from './plan-state.ts';

/** More plans than any session has. A foreign agent that lists plan after plan must not slow down the fold. */
const MAX_PLANS = 50;

interface FoldingPlan {
  readonly id: string;
  readonly name: string;
  revision: number;
  readonly steps: readonly StepState[];
  readonly stepIds: ReadonlySet<string>;
  readonly reporter: string;
  readonly deliverables: Map<string, DeliverableState>;
}

export type FoldingPlans = Map<string, FoldingPlan>;

export function foldTodoList(plans: FoldingPlans, { sender, payload }: AgentReport): void {
  const { plan, revision } = payload;
  const listed = payload['steps'];
  if (!isFields(plan) || !isText(plan['id']) || !isText(plan['name'])) return;
  if (!isCount(revision) || !Array.isArray(listed)) return;
  const steps = listed.map(stepOf);
  if (!steps.every((step) => step !== undefined)) return;
  const id = plan['id'];
  const deliverables = plans.get(id)?.deliverables ?? new Map<string, DeliverableState>();
  plans.delete(id);
  plans.set(id, {
    id,
    name: plan['name'],
    revision,
    steps,
    stepIds: new Set(steps.map((step) => step.id)),
    reporter: sender,
    deliverables,
  });
  const [oldest] = plans.keys();
  if (plans.size > MAX_PLANS && oldest !== undefined) plans.delete(oldest);
}

export function foldDeliverable(plans: FoldingPlans, { sender, payload, at }: AgentReport): void {
  const { deliverable, step, revision } = payload;
  if (!isFields(deliverable) || !isText(step) || !isCount(revision)) return;
  const { id, title, value, version } = deliverable;
  if (!isText(id) || !isText(title) || !isCount(version)) return;
  if (typeof value !== 'string' && !isNumber(value)) return;
  const withStep = Array.from(plans.values()).filter(({ stepIds }) => stepIds.has(step));
  const plan = isText(payload['plan'])
    ? withStep.find((candidate) => candidate.id === payload['plan'])
    : likelyPlan(withStep, sender);
  if (!plan) return;
  plan.revision = revision;
  plan.deliverables.set(id, { id, title, step, value, version, at });
}

/** Returns the plan of an event that names no plan: its sender's newest plan; after a restart, the newest of all. */
function likelyPlan(plans: readonly FoldingPlan[], sender: string): FoldingPlan | undefined {
  return plans.findLast(({ reporter }) => reporter === sender) ?? plans.at(-1);
}

export function planStates(plans: FoldingPlans): PlanState[] {
  return Array.from(plans.values(), ({ id, name, revision, steps, deliverables }) => ({
    id,
    name,
    revision,
    steps,
    deliverables: Array.from(deliverables.values()),
  }));
}

function stepOf(listed: unknown): StepState | undefined {
  if (!isFields(listed)) return undefined;
  const { id, title, state, completedAt } = listed;
  if (!isText(id) || !isText(title)) return undefined;
  if (state !== 'pending' && state !== 'active' && state !== 'done') return undefined;
  return { id, title, state, ...(isText(completedAt) && { completedAt }) };
}
