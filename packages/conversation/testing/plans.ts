import type { AgentEvent, FoldableMessage } from '@session/contract/room';
import type { Plan } from '../src/plan/plan.ts';
import { PlanMachine } from '../src/plan/plan-machine.ts';

export const SESSION_ID = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

export const AT = '2026-11-24T08:00:00.000Z';

/** The plan of the design's example: a required text, then a choice, then a step without a deliverable. */
export const BOOKING: Plan = {
  id: 'booking-1',
  name: 'Booking',
  description: 'Takes a booking by chat.',
  steps: [
    {
      id: 'name',
      title: 'Your name',
      instructions: 'Ask for the name of the customer.',
      deliverable: { id: 'customer', title: 'Customer', type: 'text', required: true },
    },
    {
      id: 'room.kind',
      title: 'The room',
      instructions: 'Ask which room it shall be.',
      deliverable: { id: 'room', title: 'Room', type: 'choice', choices: ['Sea view', 'Garden'] },
    },
    { id: 'farewell', title: 'Farewell', instructions: 'Say goodbye.' },
  ],
};

/** Returns the history's messages of events that an agent sent. */
export function stored(
  events: readonly AgentEvent[],
  identity = 'agent-light-1',
): FoldableMessage[] {
  return events.map((event) => ({
    content: event.message,
    timestamp: event.at,
    metadata: {
      kind: event.type,
      participant: { identity, name: '', sid: null, kind: 'agent' },
      payload: JSON.parse(JSON.stringify(event)),
    },
  }));
}

export function begun(plan: Plan = BOOKING) {
  const machine = new PlanMachine(plan, SESSION_ID);
  return { machine, events: machine.begin(AT) };
}
