import { foldState, type TimelineItem } from '@session/client';

export type LivePlan = ReturnType<typeof foldState>['plans'][number];

interface State {
  readonly asOf: string | null;
  readonly plans: readonly LivePlan[];
}

type Foldable = Parameters<typeof foldState>[0] extends Iterable<infer Message> ? Message : never;

const KINDS = new Set(['complete_todo_list', 'plan_deliverable_update']);

/** Returns the messages of a timeline that change a plan and are not in the state that the API gave. */
export function planEvents(
  items: readonly TimelineItem[],
  asOf: string | null,
): readonly TimelineItem[] {
  return items.filter(
    ({ kind, timestamp }) =>
      KINDS.has(kind) && (timestamp === null || asOf === null || timestamp > asOf),
  );
}

/** Returns the plans of a session after `events`, which are later than `state`. The newest plan is the last. */
export function plansAfter(state: State, events: readonly TimelineItem[]): readonly LivePlan[] {
  if (events.length === 0) return state.plans;
  const at = state.asOf ?? '';
  const known = state.plans.flatMap((plan) => messagesOf(plan, at));
  const later = events.map(({ content, timestamp, metadata }) => {
    return { content, timestamp: timestamp ?? at, metadata };
  });
  return foldState([...known, ...later]).plans;
}

/** Whether the events between a state and the first item of a timeline may be in neither. */
export function isStale({ asOf }: State, items: readonly TimelineItem[]): boolean {
  const first = items.find(({ timestamp }) => timestamp !== null)?.timestamp;
  return first !== undefined && first !== null && (asOf === null || first > asOf);
}

/** Returns messages that fold into `plan`: the fold takes messages only, and begins with none. */
function messagesOf({ id, name, revision, steps, deliverables }: LivePlan, at: string): Foldable[] {
  const list = { plan: { id, name }, revision, steps };
  return [
    message('complete_todo_list', list, at),
    ...deliverables.map(({ step, at: setAt, ...deliverable }) => {
      const update = { deliverable, step, revision, plan: id, at: setAt };
      return message('plan_deliverable_update', update, at);
    }),
  ];
}

function message(kind: string, payload: object, timestamp: string): Foldable {
  const participant = { identity: 'agent-of-the-state', kind: 'agent' };
  return { content: '', timestamp, metadata: { kind, participant, payload } };
}
