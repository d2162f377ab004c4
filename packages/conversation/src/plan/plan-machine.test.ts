import { foldState } from '@session/contract/room';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AT, BOOKING, begun, SESSION_ID, stored } from '../../testing/plans.ts';
import type { Plan } from './plan.ts';
import { PlanMachine } from './plan-machine.ts';
import { planTools } from './plan-tools.ts';

function toolNames({ plan, state }: PlanMachine) {
  return planTools(plan, state).map(({ name }) => name);
}

/** Returns the ids of the events that begin a plan, at a time that differs from the other tests'. */
function idsOf(plan: Plan, sessionId: string) {
  return new PlanMachine(plan, sessionId).begin('2027-01-01T00:00:00.000Z').map(({ id }) => id);
}

describe('a plan that begins', () => {
  test('lists its steps, then starts the earliest, in the shapes of the room', () => {
    const { events } = begun();
    expect(events).toEqual([
      {
        type: 'complete_todo_list',
        id: expect.any(String),
        at: AT,
        revision: 1,
        plan: { id: 'booking-1', name: 'Booking' },
        steps: [
          { id: 'name', title: 'Your name', state: 'active' },
          { id: 'room.kind', title: 'The room', state: 'pending' },
          { id: 'farewell', title: 'Farewell', state: 'pending' },
        ],
        message: '0 of 3 steps done',
      },
      {
        type: 'state_change_notification',
        id: expect.any(String),
        at: AT,
        state: 'step_started',
        step: 'name',
        message: 'Now: Your name',
      },
    ]);
  });

  test('offers no tool for what makes no sense yet', () => {
    expect(toolNames(begun().machine)).toEqual(['set_deliverable', 'complete_step']);
    const bare = begun({ ...BOOKING, steps: BOOKING.steps.slice(2) }).machine;
    expect(toolNames(bare)).toEqual(['complete_step']);
    bare.call('complete_step', { step: 'farewell' }, AT);
    expect(toolNames(bare)).toEqual(['reopen_step']);
  });
});

describe('set_deliverable', () => {
  test('stores the canonical value, and each change is one more version', () => {
    const { machine } = begun();
    const set = (value: unknown) =>
      machine.call('set_deliverable', { deliverable: 'room', value }, AT).events;
    expect(set('GARDEN')).toMatchObject([
      {
        type: 'plan_deliverable_update',
        revision: 2,
        step: 'room.kind',
        deliverable: { id: 'room', title: 'Room', value: 'Garden', version: 1 },
        message: 'Room: Garden',
      },
    ]);
    expect(set('garden')).toEqual([]);
    expect(set('sea view')).toMatchObject([{ revision: 3, deliverable: { version: 2 } }]);
  });

  test.each([
    [{}, 'deliverable must be one of: customer, room.'],
    [{ deliverable: 'name', value: 'x' }, 'deliverable must be one of: customer, room.'],
    [{ deliverable: 'customer' }, 'value of customer must be a text or a number.'],
    [{ deliverable: 'room', value: 'Attic' }, 'value of room must be one of: Sea view, Garden.'],
    [null, 'deliverable must be one of: customer, room.'],
    [['customer', 'x'], 'deliverable must be one of: customer, room.'],
  ])('of %j is refused and changes nothing', (args, sentence) => {
    const { machine } = begun();
    const before = machine.state;
    expect(machine.call('set_deliverable', args, AT)).toEqual({
      isRefused: true,
      sentence,
      events: [],
    });
    expect(machine.state).toBe(before);
  });
});

describe('complete_step', () => {
  test('is refused while a required deliverable is missing, whatever the note says', () => {
    const { machine } = begun();
    const args = { step: 'name', note: 'customer is John Smith' };
    expect(machine.call('complete_step', args, AT)).toEqual({
      isRefused: true,
      sentence: 'name needs customer first: call set_deliverable with its value.',
      events: [],
    });
  });

  test('moves on to the next step; the last one completes the plan', () => {
    const { machine } = begun();
    machine.call('set_deliverable', { deliverable: 'customer', value: 'John Smith' }, AT);
    const done = ['name', 'room.kind', 'farewell'].flatMap((step) =>
      machine.call('complete_step', { step }, AT).events.map(({ message }) => message),
    );
    expect(done).toEqual([
      '1 of 3 steps done',
      'Now: The room',
      '2 of 3 steps done',
      'Now: Farewell',
      '3 of 3 steps done',
      'Completed: Booking',
    ]);
    expect(machine.state.steps.map(({ state, completedAt }) => [state, completedAt])).toEqual([
      ['done', AT],
      ['done', AT],
      ['done', AT],
    ]);
  });

  test('of a done step is fine and says nothing; of another step it is refused', () => {
    const { machine } = begun({ ...BOOKING, steps: BOOKING.steps.slice(1) });
    machine.call('complete_step', { step: 'room.kind' }, AT);
    expect(machine.call('complete_step', { step: 'room.kind' }, AT)).toEqual({
      isRefused: false,
      sentence: 'room.kind is done already.',
      events: [],
    });
    expect(machine.call('complete_step', { step: 'nowhere' }, AT).sentence).toBe(
      'step must be one of: farewell.',
    );
    machine.call('complete_step', { step: 'farewell' }, AT);
    expect(machine.call('complete_step', {}, AT)).toMatchObject({
      isRefused: true,
      sentence: 'All steps are done already.',
    });
  });
});

describe('reopen_step', () => {
  test('makes a done step current again, keeps values, and goes on where the plan was', () => {
    const { machine } = begun();
    machine.call('set_deliverable', { deliverable: 'customer', value: 'John' }, AT);
    machine.call('complete_step', { step: 'name' }, AT);
    const reopened = machine.call('reopen_step', { step: 'name', reason: 'a\nnew name' }, AT);
    expect(reopened.events.map(({ message }) => message)).toEqual([
      '0 of 3 steps done',
      'Again: Your name (a new name)',
    ]);
    expect(machine.state.steps.map(({ state }) => state)).toEqual(['active', 'pending', 'pending']);
    expect(machine.state.deliverables).toHaveLength(1);
    machine.call('complete_step', { step: 'name' }, AT);
    expect(machine.state.steps.map(({ state }) => state)).toEqual(['done', 'active', 'pending']);
  });

  test.each([
    [{ step: 'name' }, false, 'name is the current step already.'],
    [{ step: 'farewell' }, true, 'No step is done, so none can be reopened.'],
    [{}, true, 'No step is done, so none can be reopened.'],
  ])('of %j changes nothing', (args, isRefused, sentence) => {
    const { machine } = begun();
    expect(machine.call('reopen_step', args, AT)).toEqual({ isRefused, sentence, events: [] });
  });
});

test('an unknown tool is refused, also by a name that every object has', () => {
  const { machine } = begun();
  for (const name of ['search', 'constructor', '__proto__', '']) {
    expect(machine.call(name, {}, AT)).toMatchObject({ isRefused: true, events: [] });
  }
});

describe('any tool calls, in any order, with any arguments', () => {
  const ids = fc.constantFrom('name', 'room.kind', 'farewell', 'customer', 'room', 'nowhere');
  const value = fc.oneof(fc.constantFrom('Garden', 'sea VIEW', 'Ada', 7), fc.jsonValue());
  const fitting = fc.record({ step: ids, deliverable: ids, value, reason: fc.string() });
  const calls = fc.array(
    fc.record({
      name: fc.constantFrom('set_deliverable', 'complete_step', 'reopen_step', 'other'),
      args: fc.oneof({ weight: 6, arbitrary: fitting }, fc.jsonValue()),
    }),
    { maxLength: 40 },
  );

  test('one step is active until all are done, no event comes twice, and the fold agrees', () => {
    fc.assert(
      fc.property(calls, (sequence) => {
        const { machine, events } = begun();
        for (const { name, args } of sequence) {
          const before = machine.state;
          const outcome = machine.call(name, args, AT);
          events.push(...outcome.events);
          expect(machine.state === before).toBe(outcome.events.length === 0);
          const states = machine.state.steps.map(({ state }) => state);
          const isDone = states.every((state) => state === 'done');
          expect(states.filter((state) => state === 'active')).toHaveLength(isDone ? 0 : 1);
          expect(foldState(stored(events)).plans).toEqual([machine.state]);
        }
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      }),
    );
  });

  test('a restart at any moment says nothing, and goes on with the same events', () => {
    fc.assert(
      fc.property(calls, calls, (sequence, rest) => {
        const { machine, events } = begun();
        for (const { name, args } of sequence) events.push(...machine.call(name, args, AT).events);
        const [state] = foldState(stored(events)).plans;
        const restarted = new PlanMachine(BOOKING, SESSION_ID, state);
        expect(restarted.begin(AT)).toEqual([]);
        for (const { name, args } of rest) {
          expect(restarted.call(name, args, AT)).toEqual(machine.call(name, args, AT));
        }
        expect(restarted.state).toEqual(machine.state);
      }),
    );
  });
});

test.each([
  ['the largest plan', 66],
  ['a plan whose titles the values of variables made longer than authored ones may be', 1000],
])('%s, with the largest values, stays within a packet of the room', (_which, count) => {
  const title = '\u0001"中'.repeat(count);
  const steps = Array.from({ length: 50 }, (_, index) => ({
    id: `${'s'.repeat(60)}-${index}`,
    title,
    instructions: 'x',
    deliverable: { id: `${'d'.repeat(60)}-${index}`, title, type: 'text' as const },
  }));
  const machine = new PlanMachine(
    { id: 'p'.repeat(64), name: title, description: null, steps },
    SESSION_ID,
  );
  const events = machine.begin(AT);
  for (const { id, deliverable } of steps) {
    const args = { deliverable: deliverable.id, value: '\u0001'.repeat(8192) };
    events.push(...machine.call('set_deliverable', args, AT).events);
    events.push(...machine.call('complete_step', { step: id }, AT).events);
  }
  expect(events).toHaveLength(2 + 50 * 3);
  const sizes = events.map((event) => Buffer.byteLength(JSON.stringify(event)));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(63_000);
  expect(foldState(stored(events)).plans).toEqual([machine.state]);
});

test('the ids of events depend on session, plan, subject and revision alone', () => {
  const expected = begun().events.map(({ id }) => id);
  expect(idsOf(BOOKING, SESSION_ID)).toEqual(expected);
  expect(idsOf({ ...BOOKING, id: 'booking-2' }, SESSION_ID)).not.toEqual(expected);
  expect(idsOf(BOOKING, '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c')).not.toEqual(expected);
});

test('a later step is not completed before the present one', () => {
  const { machine } = begun();
  const { sentence, isRefused } = machine.call('complete_step', { step: 'farewell' }, AT);
  expect([sentence, isRefused]).toEqual(['step must be one of: name.', true]);
  expect(machine.state.steps.map(({ state }) => state)).toEqual(['active', 'pending', 'pending']);
});
