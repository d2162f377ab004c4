import { foldState } from '@session/contract/room';
import { expect, test } from 'vitest';
import type { TimelineItem } from '../timeline/entry.ts';
import { isBehind, stateAfter } from './session-state.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

/** Returns a message of an agent, as a timeline shows it. */
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
  event('state_change_notification', { state: 'degraded', reason: 'model_busy', at: at(6) }, 6),
  event('state_change_notification', { state: 'step_started', at: at(7) }, 7),
  list(8, ['done', 'done'], false),
];

const folded = (items: readonly TimelineItem[], asOf: string) =>
  foldState(items.map((item) => ({ ...item, timestamp: item.timestamp ?? asOf })));

test.for([1, 2, 3, 4, 5, 6, 7])(
  'a state after %i messages and the live ones after it are the state of all',
  (count) => {
    const { plans, agents } = folded(history, at(8));
    const state = folded(history.slice(0, count), at(count));
    expect(stateAfter(state, history)).toMatchObject({ plans, agents });
  },
);

test('words leave the state as it is', () => {
  const state = folded(history.slice(0, 2), at(2));
  expect(stateAfter(state, history.slice(0, 3))).toBe(state);
});

test('a state that ends before the list begins is behind', () => {
  const state = { asOf: at(3) };
  expect(isBehind(state, history.slice(3))).toBe(true);
  expect(isBehind(state, history)).toBe(false);
  expect(isBehind(state, [])).toBe(false);
  expect(isBehind({ asOf: null }, history)).toBe(true);
});
