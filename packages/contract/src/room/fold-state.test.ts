import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FoldableMessage } from './agent-report.ts';
import { foldState } from './fold-state.ts';

const AT = '2026-11-24T08:00:00.000Z';
const AGENT = { identity: 'agent-light-1', kind: 'agent' };

function message(payload: unknown, kind: unknown, participant: unknown = AGENT): FoldableMessage {
  return { content: 'A sentence.', timestamp: AT, metadata: { kind, participant, payload } };
}

function todoList(plan: string, steps: readonly string[], participant: unknown = AGENT) {
  const listed = steps.map((id) => ({ id, title: id, state: 'pending' }));
  const payload = { plan: { id: plan, name: plan }, revision: 1, steps: listed };
  return message(payload, 'complete_todo_list', participant);
}

function update(
  id: string,
  step: string,
  value: unknown,
  participant: unknown = AGENT,
  plan: { readonly plan?: unknown } = {},
) {
  const deliverable = { id, title: id, value, version: 1 };
  const payload = { revision: 2, ...plan, step, deliverable };
  return message(payload, 'plan_deliverable_update', participant);
}

function state(identity: string, payload: unknown) {
  return message(payload, 'state_change_notification', { identity, kind: 'agent' });
}

/** Returns each plan's id with the ids of its deliverables. */
function valuesOf(messages: readonly FoldableMessage[]) {
  return foldState(messages).plans.map(({ id, deliverables }) => [
    id,
    deliverables.map((deliverable) => deliverable.id),
  ]);
}

test('an empty history has no state, and no time', () => {
  expect(foldState([])).toEqual({ asOf: null, plans: [], agents: [] });
});

test('asOf is the time of the newest message, of whatever kind', () => {
  const words = { content: 'Hello', timestamp: '2026-11-25T00:00:00.000Z', metadata: null };
  expect(foldState([todoList('p', ['a']), words]).asOf).toBe(words.timestamp);
});

test('of each agent the newest state is kept, the newest agent last', () => {
  const { agents } = foldState([
    state('a', { state: 'ready' }),
    state('b', { state: 'degraded', reason: 'model_busy', at: '2026-01-02T00:00:00.000Z' }),
    state('a', { state: 'step_started', step: 'x', at: 'yesterday' }),
  ]);
  expect(agents).toEqual([
    {
      participant: 'b',
      state: 'degraded',
      reason: 'model_busy',
      message: 'A sentence.',
      at: '2026-01-02T00:00:00.000Z',
    },
    { participant: 'a', state: 'step_started', reason: null, message: 'A sentence.', at: AT },
  ]);
});

test('an interruption is a moment: the state before it goes on', () => {
  const interrupted = state('a', { state: 'interrupted' });
  const { agents } = foldState([interrupted, state('a', { state: 'ready' }), interrupted]);
  expect(agents).toMatchObject([{ participant: 'a', state: 'ready' }]);
  expect(foldState([interrupted]).agents).toEqual([]);
});

describe('a deliverable belongs to', () => {
  const other = { identity: 'agent-light-2', kind: 'agent' };
  const inBoth = [todoList('p', ['a']), todoList('q', ['a'])];
  test('the plan that its event names', () => {
    expect(valuesOf([...inBoth, update('d', 'a', 1, AGENT, { plan: 'p' })])).toEqual([
      ['p', ['d']],
      ['q', []],
    ]);
  });

  test.each(['r', 'toString'])('no plan, when the plan %j of its event is not listed', (plan) => {
    expect(valuesOf([...inBoth, update('d', 'a', 1, AGENT, { plan })])).toEqual([
      ['p', []],
      ['q', []],
    ]);
  });

  test.each([[undefined], [''], [7], [{ id: 'p' }]])(
    'the newest plan with its step that its sender reported, when the event names the plan %j',
    (plan) => {
      expect(valuesOf([...inBoth, update('d', 'a', 1, AGENT, { plan })])).toEqual([
        ['p', []],
        ['q', ['d']],
      ]);
    },
  );

  test('a plan of its sender rather than a newer one of another sender', () => {
    const history = [todoList('p', ['a']), todoList('q', ['a'], other), update('d', 'a', 1)];
    expect(valuesOf(history)).toEqual([
      ['p', ['d']],
      ['q', []],
    ]);
  });

  test('the newest plan with its step, when its sender reported none', () => {
    const history = [todoList('p', ['a']), todoList('q', ['b']), update('d', 'a', 1, other)];
    expect(valuesOf(history)).toEqual([
      ['p', ['d']],
      ['q', []],
    ]);
  });

  test('no plan, when none has its step', () => {
    expect(valuesOf([todoList('p', ['a']), update('d', 'b', 1)])).toEqual([['p', []]]);
  });
});

describe('an event is ignored', () => {
  test.each([
    ['of a person', todoList('p', ['a'], { identity: 'user-1', kind: 'standard' })],
    ['of a sender of no kind', todoList('p', ['a'], { identity: 'user-1', kind: { toString: 1 } })],
    ['without a sender', todoList('p', ['a'], null)],
    ['of another kind', message({ plan: { id: 'p', name: 'p' }, revision: 1, steps: [] }, 'text')],
    ['without a plan', message({ revision: 1, steps: [] }, 'complete_todo_list')],
    [
      'whose steps are none',
      message({ plan: { id: 'p', name: 'p' }, revision: 1, steps: {} }, 'complete_todo_list'),
    ],
    [
      'with a step of an unknown state',
      message(
        {
          plan: { id: 'p', name: 'p' },
          revision: 1,
          steps: [{ id: 'a', title: 'a', state: 'lost' }],
        },
        'complete_todo_list',
      ),
    ],
    [
      'with a revision that is none',
      message({ plan: { id: 'p', name: 'p' }, revision: 1.5, steps: [] }, 'complete_todo_list'),
    ],
    ['whose payload is a list', message([], 'complete_todo_list')],
  ])('%s', (_, event) => {
    expect(foldState([event]).plans).toEqual([]);
  });

  test.each([[null], [{}], [[1]], [true], [undefined], [Number.POSITIVE_INFINITY]])(
    'of a deliverable with the value %j',
    (value) => {
      const { plans } = foldState([todoList('p', ['a']), update('d', 'a', value)]);
      expect(plans).toMatchObject([{ deliverables: [] }]);
    },
  );
});

test('of more than 50 plans the newest stay', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `plan-${index}`);
  const { plans } = foldState([
    ...ids.map((id) => todoList(id, ['a'])),
    todoList('plan-10', ['a']),
    todoList('plan-60', ['a']),
  ]);
  expect(plans.map(({ id }) => id)).toEqual([...ids.slice(12), 'plan-10', 'plan-60']);
});

test('ids that every object has are ids like others', () => {
  const ids = ['__proto__', 'constructor', 'toString'];
  const history = ids.flatMap((id) => [todoList(id, [id]), update(id, id, 1)]);
  const folded = foldState(history).plans;
  expect(folded.map(({ id, deliverables }) => [id, deliverables[0]?.id])).toEqual(
    ids.map((id) => [id, id]),
  );
});

test('payloads of any shape throw nothing and take nothing from the plan of an agent', () => {
  const own = [todoList('booking-1', ['name']), update('customer', 'name', 'Ann')];
  const [plan] = foldState(own).plans;
  const kinds = fc.constantFrom(
    'complete_todo_list',
    'plan_deliverable_update',
    'state_change_notification',
  );
  const fields = fc.record(
    {
      plan: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), name: fc.jsonValue() })),
      steps: fc.jsonValue(),
      revision: fc.jsonValue(),
      step: fc.jsonValue(),
      deliverable: fc.jsonValue(),
      state: fc.jsonValue(),
      at: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const foreign = fc.record({
    content: fc.string(),
    timestamp: fc.constant(AT),
    metadata: fc.oneof(
      fc.jsonValue(),
      fc.record({
        kind: kinds,
        participant: fc.oneof(fc.jsonValue(), fc.constant({ identity: 'agent-x', kind: 'agent' })),
        payload: fc.oneof(fc.jsonValue(), fields),
      }),
    ),
  });
  fc.assert(
    fc.property(fc.array(foreign, { maxLength: 8 }), (messages) => {
      const { plans } = foldState([...own, ...messages]);
      expect(plans).toContainEqual(plan);
    }),
  );
});
