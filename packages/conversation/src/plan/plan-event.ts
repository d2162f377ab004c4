import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { cutText, oneLine } from '../clean-text.ts';
import type { DeliverableState, PlanState, StepState } from './plan-state.ts';

/** A notification of an agent about itself or a step. `message` is the sentence that people read. */
export interface StateEvent {
  readonly type: 'state_change_notification';
  readonly id: string;
  readonly at: string;
  readonly state:
    | 'ready'
    | 'step_started'
    | 'step_reopened'
    | 'plan_completed'
    | 'plan_unsupported'
    | 'interrupted'
    | 'degraded'
    | 'recovered'
    | 'stopping';
  readonly step?: string;
  /** Why an agent is degraded. */
  readonly reason?: string;
  readonly message: string;
}

/** All steps of a plan with their states. Sent when a plan begins and whenever a step's state changes. */
export interface TodoListEvent {
  readonly type: 'complete_todo_list';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly plan: { readonly id: string; readonly name: string };
  readonly steps: readonly StepState[];
  readonly message: string;
}

/** A new version of a deliverable. */
export interface DeliverableEvent {
  readonly type: 'plan_deliverable_update';
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly step: string;
  readonly deliverable: Pick<DeliverableState, 'id' | 'title' | 'value' | 'version'>;
  readonly message: string;
}

/** An event that an agent sends into its room as a reliable JSON packet. */
export type AgentEvent = StateEvent | TodoListEvent | DeliverableEvent;

/** Whose plan changed, and when (ISO 8601 in UTC). `sessionId` is a UUID. */
export interface EventContext {
  readonly sessionId: string;
  readonly at: string;
}

/** A value's length in the readable sentence: a packet holds 63,000 bytes, and a value may have 8 KiB. */
const SENTENCE_VALUE_LENGTH = 200;

/** Returns the event that lists all steps. */
function todoListEvent(state: PlanState, { sessionId, at }: EventContext): TodoListEvent {
  const { id, name, revision, steps } = state;
  const done = steps.filter((step) => step.state === 'done').length;
  return {
    type: 'complete_todo_list',
    id: eventId(sessionId, [id, 'complete_todo_list', '', revision]),
    at,
    revision,
    plan: { id, name },
    steps,
    message: `${done} of ${steps.length} steps done`,
  };
}

/** Returns the event that a step began, or began again, or that the whole plan is completed. */
function stepEvent(
  plan: PlanState,
  { sessionId, at }: EventContext,
  change:
    | { readonly state: 'step_started' | 'step_reopened'; readonly step: StepState; why?: string }
    | { readonly state: 'plan_completed' },
): StateEvent {
  const subject = change.state === 'plan_completed' ? '' : change.step.id;
  const names = [plan.id, `state_change_notification:${change.state}`, subject, plan.revision];
  const event = { type: 'state_change_notification', id: eventId(sessionId, names), at } as const;
  if (change.state === 'plan_completed') {
    return { ...event, state: change.state, message: `Completed: ${plan.name}` };
  }
  const { state, step, why = '' } = change;
  const beginning = state === 'step_started' ? 'Now' : 'Again';
  const reason = why && ` (${cutText(oneLine(why), SENTENCE_VALUE_LENGTH)})`;
  return { ...event, state, step: step.id, message: `${beginning}: ${step.title}${reason}` };
}

/** Returns the events of a change of steps: the todo list, then the step that is active now or the end of the plan. */
export function stepEvents(
  plan: PlanState,
  context: EventContext,
  state: 'step_started' | 'step_reopened',
  why = '',
): AgentEvent[] {
  const step = plan.steps.find((candidate) => candidate.state === 'active');
  const change = step ? { state, step, why } : { state: 'plan_completed' as const };
  return [todoListEvent(plan, context), stepEvent(plan, context, change)];
}

/** Returns the event of a deliverable's new version. */
export function deliverableEvent(
  plan: PlanState,
  { sessionId, at }: EventContext,
  { id, title, step, value, version }: DeliverableState,
): DeliverableEvent {
  const { revision } = plan;
  return {
    type: 'plan_deliverable_update',
    id: eventId(sessionId, [plan.id, 'plan_deliverable_update', id, revision]),
    at,
    revision,
    step,
    deliverable: { id, title, value, version },
    message: `${title}: ${cutText(oneLine(String(value)), SENTENCE_VALUE_LENGTH)}`,
  };
}

/** Returns an event of the agent itself, which belongs to no revision of a plan and so has an id of its own. */
export function agentStateEvent(
  at: string,
  change: Pick<StateEvent, 'state' | 'reason' | 'message'>,
): StateEvent {
  return { type: 'state_change_notification', id: uuidv7(), at, ...change };
}

/** The same change of the same plan has the same id in every process, so an agent that restarts stores no event twice. */
function eventId(sessionId: string, names: readonly (string | number)[]): string {
  return uuidv5(JSON.stringify(names), sessionId);
}
