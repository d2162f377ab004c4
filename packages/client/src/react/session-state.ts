import { type FoldableMessage, type FoldedState, foldState } from '@session/contract/room';
import type { TimelineItem } from '../timeline/entry.ts';

const KINDS: ReadonlySet<string> = new Set([
  'complete_todo_list',
  'plan_deliverable_update',
  'state_change_notification',
]);

export function stateAfter(
  state: FoldedState,
  items: readonly TimelineItem[],
): Pick<FoldedState, 'plans' | 'agents'> {
  const at = state.asOf ?? '';
  const reports = items.filter(
    ({ kind, timestamp }) => KINDS.has(kind) && (timestamp === null || timestamp > at),
  );
  if (reports.length === 0) return state;
  const later = reports.map(({ content, timestamp, metadata }) => {
    return { content, timestamp: timestamp ?? at, metadata };
  });
  return foldState([...messagesOf(state, at), ...later]);
}

/**
 * Returns whether messages may be missing between a state and the first item of a timeline. If so, read the state again.
 */
export function isBehind(
  { asOf }: Pick<FoldedState, 'asOf'>,
  items: readonly TimelineItem[],
): boolean {
  const first = items.find(({ timestamp }) => timestamp !== null)?.timestamp;
  return first !== undefined && first !== null && (asOf === null || first > asOf);
}

function messagesOf({ plans, agents }: FoldedState, at: string): FoldableMessage[] {
  const ofPlans = plans.flatMap(({ id, name, revision, steps, deliverables }) => {
    const list = { plan: { id, name }, revision, steps };
    return [
      report('complete_todo_list', list, at),
      ...deliverables.map(({ step, at: setAt, ...deliverable }) => {
        const update = { deliverable, step, revision, plan: id, at: setAt };
        return report('plan_deliverable_update', update, at);
      }),
    ];
  });
  const ofAgents = agents.map(({ participant, state, reason, message, at: reportedAt }) => {
    const payload = { state, reason, at: reportedAt };
    const { metadata } = report('state_change_notification', payload, at, participant);
    return { content: message, timestamp: at, metadata };
  });
  return [...ofPlans, ...ofAgents];
}

function report(kind: string, payload: object, timestamp: string, identity = 'agent-of-the-state') {
  const participant = { identity, kind: 'agent' };
  return { content: '', timestamp, metadata: { kind, participant, payload } };
}
