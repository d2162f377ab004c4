import type { Message } from '@session/contract';
import { foldState } from '@session/contract/room';
import { expect, test } from 'vitest';
import { compareState } from './compare-state.ts';

const HISTORY: readonly Message[] = ['ready', 'degraded'].map((state, index) => ({
  id: String(index),
  sessionId: 's',
  role: 'system',
  content: `I am ${state}.`,
  status: 'complete',
  timestamp: `2026-11-24T08:00:0${index}.000Z`,
  createdAt: '2026-11-24T08:00:09.000Z',
  metadata: {
    kind: 'state_change_notification',
    participant: { identity: 'agent-light-1', name: '', sid: null, kind: 'agent' },
    payload: { state },
  },
}));

function stateAfter(messages: number) {
  const { asOf, plans, agents } = foldState(HISTORY.slice(0, messages));
  return {
    asOf,
    plans: [...plans].map((plan) => ({ ...plan, steps: [], deliverables: [] })),
    agents: [...agents],
  };
}

test('the state at each moment is the fold of the history until then', () => {
  const moments = [0, 1, 2].map((messages) => ({ messages, state: stateAfter(messages) }));
  expect(compareState(HISTORY, moments)).toEqual([]);
});

test('a state of another moment is a fault, which names the last message', () => {
  const late = { messages: 1, state: stateAfter(2) };
  const early = { messages: 2, state: { ...stateAfter(1), asOf: stateAfter(2).asOf } };
  expect(compareState(HISTORY, [late, early])).toEqual([
    'The state differs from the fold of the history at message 1: I am ready.',
    'The state differs from the fold of the history at message 2: I am degraded.',
  ]);
});
