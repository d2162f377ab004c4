import { type AgentEvent, decode, encodePacket, foldState } from '@session/contract/room';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileText } from '../../testing/hostile-text.ts';
import { AT, begun, SESSION_ID } from '../../testing/plans.ts';
import { agentStateEvent } from './plan-event.ts';

const SENDER = { identity: 'agent-light-agent-1', name: 'Agent', sid: 'PA_1', kind: 'agent' };

/** Returns what the recorder makes of an event that arrives as a packet. */
function recorded(event: AgentEvent, sender = SENDER) {
  const payload = encodePacket({ ...event });
  const decoded = decode(
    { type: 'packet', payload, sender, receivedAt: Date.parse(AT) },
    { sessionId: SESSION_ID, newId: () => 'made' },
  );
  if (decoded.outcome !== 'store') throw new Error(decoded.outcome);
  return decoded.message;
}

function hostileEvents(): { readonly events: AgentEvent[]; readonly state: unknown } {
  const { machine, events } = begun();
  const value = 'Ann\u0000 \ud800 "quoted" \u2028 中👋';
  events.push(...machine.call('set_deliverable', { deliverable: 'customer', value }, AT).events);
  events.push(...machine.call('complete_step', { step: 'name' }, AT).events);
  return { events, state: machine.state };
}

test('the state folded from the recorded history is the state of the machine', () => {
  const { events, state } = hostileEvents();
  const history = events.map((event) => ({ ...recorded(event), timestamp: AT }));
  expect(foldState(history)).toMatchObject({
    asOf: AT,
    plans: [state],
    agents: [{ participant: SENDER.identity, state: 'step_started', message: 'Now: The room' }],
  });
});

test('any value is folded as the machine has it', () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      const { machine, events } = begun();
      events.push(
        ...machine.call('set_deliverable', { deliverable: 'customer', value }, AT).events,
      );
      const history = events.map((event) => ({ ...recorded(event), timestamp: AT }));
      expect(foldState(history).plans).toEqual([machine.state]);
    }),
  );
});

test('people read each event’s sentence, and its id is the one that the agent chose', () => {
  for (const event of hostileEvents().events) {
    const { content, role, kind, metadata } = recorded(event);
    expect({ content, role, kind, rawId: metadata.rawId }).toEqual({
      content: event.message,
      role: 'system',
      kind: event.type,
      rawId: event.id,
    });
  }
});

test('an event that a person sends is recorded, and changes no state', () => {
  const person = { ...SENDER, identity: 'user-1', kind: 'standard' };
  const history = hostileEvents().events.map((event) => ({
    ...recorded(event, person),
    timestamp: AT,
  }));
  expect(foldState(history)).toEqual({ asOf: AT, plans: [], agents: [] });
});

test('states of the agent itself have an id of their own each time', () => {
  const change = { state: 'degraded', reason: 'model_busy', message: 'Busy.' } as const;
  expect(agentStateEvent(AT, change).id).not.toBe(agentStateEvent(AT, change).id);
  const history = [{ ...recorded(agentStateEvent(AT, change)), timestamp: AT }];
  expect(foldState(history).agents).toMatchObject([{ state: 'degraded', reason: 'model_busy' }]);
});
