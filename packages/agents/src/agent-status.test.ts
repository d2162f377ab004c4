import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentState, nextState, type ObservedPhase } from './agent-status.ts';
import { STOP_REASONS } from './stop-reason.ts';

const starting: AgentState = { status: 'Starting', reason: null, detail: null, exitCode: null };
const running: AgentState = { ...starting, status: 'Running' };
const stopping: AgentState = { ...running, reason: 'requested' };
const late: AgentState = {
  ...starting,
  reason: 'start_timeout',
  detail: 'Not in the room within 120 s.',
};
const lost = 'The agent’s process or pod is gone, and its end was not observed. Start a new agent.';

const problem = { reason: 'no_capacity', detail: 'No node has room.' } as const;
const killed: ObservedPhase = {
  phase: 'ended',
  exitCode: 137,
  detail: 'The agent’s program was ended by SIGKILL.',
};
const full: ObservedPhase = { ...killed, cause: 'out_of_memory' };
const evicted: ObservedPhase = { phase: 'ended', exitCode: 0, cause: 'evicted' };
const refused = {
  phase: 'ended',
  exitCode: null,
  cause: 'bad_configuration',
  detail: 'The program is not installed.',
} as const satisfies ObservedPhase;

test.each<[AgentState, ObservedPhase, Partial<AgentState>]>([
  [starting, { phase: 'waiting' }, starting],
  [starting, { phase: 'waiting', problem }, starting],
  [starting, { phase: 'running' }, starting],
  [starting, { phase: 'ready' }, running],
  [stopping, { phase: 'ready' }, stopping],
  [running, { phase: 'waiting' }, running],
  [running, { phase: 'ready' }, running],
  [starting, { phase: 'ended', exitCode: 0 }, { reason: 'completed', exitCode: 0, detail: null }],
  [running, { phase: 'ended', exitCode: 3 }, { reason: 'crashed', exitCode: 3, detail: null }],
  [
    starting,
    { phase: 'ended', exitCode: 78 },
    {
      reason: 'bad_configuration',
      exitCode: 78,
      detail: 'Its configuration is refused: its log says what is wrong.',
    },
  ],
  [
    running,
    { phase: 'ended', exitCode: 78, cause: 'evicted' },
    { reason: 'evicted', exitCode: 78, detail: null },
  ],
  [stopping, { phase: 'ended', exitCode: 78 }, { reason: 'requested', exitCode: 78, detail: null }],
  [running, { phase: 'ended', exitCode: null }, { reason: 'crashed', exitCode: null }],
  [
    running,
    killed,
    { reason: 'crashed', exitCode: 137, detail: 'The agent’s program was ended by SIGKILL.' },
  ],
  [running, full, { reason: 'out_of_memory', exitCode: 137 }],
  [running, evicted, { reason: 'evicted', exitCode: 0 }],
  [starting, refused, { reason: 'bad_configuration', exitCode: null, detail: refused.detail }],
  [running, { phase: 'absent' }, { reason: 'lost', exitCode: null, detail: lost }],
  [stopping, { phase: 'ended', exitCode: 0 }, { reason: 'requested', exitCode: 0, detail: null }],
  [stopping, full, { reason: 'requested', exitCode: 137 }],
  [stopping, { phase: 'absent' }, { reason: 'requested', exitCode: null, detail: null }],
  [
    late,
    killed,
    { reason: 'start_timeout', exitCode: 137, detail: 'Not in the room within 120 s.' },
  ],
])('%o, observed as %o, becomes %o', (state, observed, expected) => {
  const isOver = observed.phase === 'ended' || observed.phase === 'absent';
  expect(nextState(state, observed)).toMatchObject({
    ...expected,
    ...(isOver && { status: 'Stopped' }),
  });
});

test('Stopped is final, whatever is observed later', () => {
  const over: AgentState = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 };
  const observations: ObservedPhase[] = [
    { phase: 'ready' },
    { phase: 'running' },
    { phase: 'absent' },
    killed,
  ];
  for (const observed of observations) expect(nextState(over, observed)).toBe(over);
});

const reason = fc.constantFrom(...STOP_REASONS);
const observation: fc.Arbitrary<ObservedPhase> = fc.oneof(
  fc.constantFrom<ObservedPhase>({ phase: 'running' }, { phase: 'ready' }, { phase: 'absent' }),
  fc.record({ phase: fc.constant('waiting' as const) }),
  fc.record(
    {
      phase: fc.constant('ended' as const),
      exitCode: fc.option(fc.integer({ min: 0, max: 255 }), { nil: null }),
      cause: reason,
      detail: fc.string(),
    },
    { requiredKeys: ['phase', 'exitCode'] },
  ),
);
const beforeStop: fc.Arbitrary<AgentState> = fc.record({
  status: fc.constantFrom('Starting', 'Running'),
  reason: fc.option(reason, { nil: null }),
  detail: fc.option(fc.string(), { nil: null }),
  exitCode: fc.constant(null),
});

test('whatever is observed, the status only goes forward, and a reason never changes', () => {
  const order = ['Starting', 'Running', 'Stopped'];
  fc.assert(
    fc.property(beforeStop, fc.array(observation), (first, observations) => {
      let state = first;
      for (const seen of observations) {
        const next = nextState(state, seen);
        expect(order.indexOf(next.status)).toBeGreaterThanOrEqual(order.indexOf(state.status));
        expect(state.reason ?? next.reason).toBe(next.reason);
        expect(state.detail ?? next.detail).toBe(next.detail);
        state = next;
      }
    }),
  );
});

test('an agent is Stopped exactly when its workload has ended or is gone, and always with a reason', () => {
  fc.assert(
    fc.property(beforeStop, observation, (state, seen) => {
      const next = nextState(state, seen);
      const isOver = seen.phase === 'ended' || seen.phase === 'absent';
      expect(next.status === 'Stopped').toBe(isOver);
      expect(isOver ? STOP_REASONS : [state.reason]).toContain(next.reason);
    }),
  );
});

test('the same observation twice is the same state, by identity', () => {
  fc.assert(
    fc.property(beforeStop, observation, (state, seen) => {
      const once = nextState(state, seen);
      expect(nextState(once, seen)).toBe(once);
    }),
  );
});
