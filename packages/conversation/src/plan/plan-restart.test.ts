import { describe, expect, test } from 'vitest';
import { AT, BOOKING, begun, SESSION_ID } from '../../testing/plans.ts';
import type { Plan } from './plan.ts';
import { PlanMachine } from './plan-machine.ts';

describe('a restart after the plan was edited', () => {
  const shorter: Plan = { ...BOOKING, steps: BOOKING.steps.slice(1) };

  test('keeps what still fits, and tells the room the new list', () => {
    const { machine, events } = begun();
    machine.call('set_deliverable', { deliverable: 'customer', value: 'John' }, AT);
    machine.call('set_deliverable', { deliverable: 'room', value: 'Garden' }, AT);
    const restarted = new PlanMachine(shorter, SESSION_ID, machine.state);
    const again = restarted.begin(AT);
    expect(again).toMatchObject([{ revision: 4 }, { state: 'step_started', step: 'room.kind' }]);
    expect(restarted.state.deliverables.map(({ id }) => id)).toEqual(['room']);
    expect(events.map(({ id }) => id)).not.toContain(again[0]?.id);
  });

  test('drops a value that the type no longer allows', () => {
    const { machine } = begun();
    machine.call('set_deliverable', { deliverable: 'room', value: 'Garden' }, AT);
    const steps = BOOKING.steps.map((step) =>
      step.deliverable?.id === 'room'
        ? { ...step, deliverable: { ...step.deliverable, choices: ['Attic'] } }
        : step,
    );
    const restarted = new PlanMachine({ ...BOOKING, steps }, SESSION_ID, machine.state);
    expect(restarted.state.deliverables).toEqual([]);
  });

  test('a stored state with several active steps is read as one', () => {
    const { machine } = begun();
    const steps = machine.state.steps.map((step) => ({ ...step, state: 'active' as const }));
    const restarted = new PlanMachine(BOOKING, SESSION_ID, { ...machine.state, steps });
    expect(restarted.state.steps.map(({ state }) => state)).toEqual([
      'active',
      'pending',
      'pending',
    ]);
  });
});
