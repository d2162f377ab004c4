import { foldState, type TimelineItem } from '@session/client';
import { expect, test } from 'vitest';
import { isStale, planEvents, plansAfter } from './live-plan.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

/** A message of an agent, as a timeline shows it. */
function event(kind: string, payload: object, second: number, isStored = true): TimelineItem {
  const participant = { identity: 'agent-1', name: 'Agent', sid: null, kind: 'agent' };
  return {
    key: `message-${second}`,
    id: `id-${second}`,
    role: 'assistant',
    kind,
    content: 'Now: Day',
    participant,
    metadata: { kind, participant, payload },
    timestamp: isStored ? at(second) : null,
    deliveredTo: null,
    state: isStored ? 'complete' : 'unconfirmed',
  };
}

const list = (second: number, states: readonly string[], isStored = true) => {
  const steps = states.map((state, index) => ({ id: `s${index}`, title: `Step ${index}`, state }));
  const payload = { plan: { id: 'p', name: 'Booking' }, revision: second, steps, at: at(second) };
  return event('complete_todo_list', payload, second, isStored);
};

const answer = (second: number, value: string) => {
  const deliverable = { id: 'd', title: 'The day', value, version: second };
  const payload = { deliverable, step: 's0', plan: 'p', revision: second, at: at(second) };
  return event('plan_deliverable_update', payload, second);
};

const history = [
  list(1, ['active', 'pending']),
  answer(2, 'Monday'),
  event('text', {}, 3),
  list(4, ['done', 'active']),
  answer(5, 'Tuesday'),
  list(6, ['done', 'done'], false),
];

const folded = (items: readonly TimelineItem[], asOf: string) =>
  foldState(items.map((item) => ({ ...item, timestamp: item.timestamp ?? asOf })));

test.for([1, 2, 3, 4, 5, 6])(
  'a state after %i messages and the live ones after it are the state of all',
  (count) => {
    const state = folded(history.slice(0, count), at(count));
    const events = planEvents(history, state.asOf);
    expect(plansAfter(state, events)).toEqual(folded(history, at(6)).plans);
  },
);

test('a state that ends before the list begins is stale', () => {
  const state = { asOf: at(3), plans: [] };
  expect(isStale(state, history.slice(3))).toBe(true);
  expect(isStale(state, history)).toBe(false);
  expect(isStale(state, [])).toBe(false);
});
