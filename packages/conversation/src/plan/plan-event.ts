import type {
  AgentEvent,
  DeliverableEvent,
  DeliverableState,
  EndEvent,
  HandoverAgent,
  HandoverEvent,
  PlanState,
  StateEvent,
  StepState,
  TodoListEvent,
} from '@session/contract/room';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { cutText, oneLine } from '../clean-text.ts';

export interface EventContext {
  readonly sessionId: string;
  readonly at: string;
}

/** In characters. A packet holds 63,000 bytes, and a value may have 8 KiB. */
const SENTENCE_VALUE_LENGTH = 200;

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
    plan: plan.id,
    step,
    deliverable: { id, title, value, version },
    message: `${title}: ${cutText(oneLine(String(value)), SENTENCE_VALUE_LENGTH)}`,
  };
}

/** Returns an event about the agent itself. It belongs to no revision of a plan, so its id is random. */
export function agentStateEvent(
  at: string,
  change: Pick<StateEvent, 'state' | 'reason' | 'message'>,
): StateEvent {
  return { type: 'state_change_notification', id: uuidv7(), at, ...change };
}

export function endEvent(at: string, reason: string): EndEvent {
  const message = 'The agent ended the conversation.';
  return { type: 'conversation_ended', id: uuidv7(), at, reason, message };
}

const HANDOVER_SENTENCES = {
  requested: 'The agent asks for a person.',
  taken: 'A person speaks in the place of the agent.',
  done: 'The person has left, and the agent goes on.',
  expired: 'No person has come, and the agent goes on.',
} as const satisfies Record<HandoverEvent['state'], string>;

export function handoverEvent(
  at: string,
  state: HandoverEvent['state'],
  { reason, to, refusedAs }: Pick<HandoverEvent, 'reason' | 'to'> & RefusedAs,
): HandoverEvent {
  const message = (to && agentSentence(state, to, refusedAs)) ?? HANDOVER_SENTENCES[state];
  return { type: 'handover', id: uuidv7(), at, state, ...(to && { to }), reason, message };
}

interface RefusedAs {
  readonly refusedAs?: string | undefined;
}

function agentSentence(
  state: HandoverEvent['state'],
  { name }: HandoverAgent,
  refusedAs: string | undefined,
): string | undefined {
  if (state === 'requested') return `The agent hands over to ${name}.`;
  if (state !== 'expired') return undefined;
  const what = refusedAs === undefined ? 'has not come' : `cannot come (${refusedAs})`;
  return `${name} ${what}, and the agent goes on.`;
}

/**
 * Returns the event of an agent that replaces another one. Its id is derived from that of the handover, so a repeated
 * event has the same id.
 */
export function takenOverEvent(
  at: string,
  { id, reason, to }: { id: string; reason: string; to: HandoverAgent },
): HandoverEvent {
  const message = `${to.name} goes on with the conversation.`;
  return { type: 'handover', id: uuidv5('taken', id), at, state: 'taken', to, reason, message };
}

/**
 * Returns the id of an event. The same change of the same plan has the same id in every process, so a restarted agent
 * stores no event twice.
 */
function eventId(sessionId: string, names: readonly (string | number)[]): string {
  return uuidv5(JSON.stringify(names), sessionId);
}
