import {
  array,
  assert,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  property,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentState, nextState } from './agent-status.ts';
import { RESTART_POLICIES, restartDelayMs, workloadIdOf } from './restart-policy.ts';
import { STOP_REASONS, type StopReason } from './stop-reason.ts';

const WINDOW_MS = 600_000;
const RESTARTABLE = ['crashed', 'lost', 'evicted', 'out_of_memory'] as const;
const crashed: AgentState = {
  status: 'Stopped',
  reason: 'crashed',
  detail: null,
  exitCode: 137,
};
const restartable = constantFrom(...RESTARTABLE);
const times = array(nat(3 * WINDOW_MS), { maxLength: 40 });

test.each([
  ['the first end', [], 500],
  ['a second end', [1000], 2000],
  ['a third end', [9000, 5000], 8000],
  ['a fourth end', [30_000, 20_000, 10_000], undefined],
  ['an end ten minutes after others', [WINDOW_MS, WINDOW_MS, WINDOW_MS], 500],
  ['a fourth end within ten minutes', [WINDOW_MS - 1, 20_000, 10_000], undefined],
])('the delay before a restart: %s', (_, endsMsAgo, delayMs) => {
  expect(restartDelayMs('on-failure', crashed, endsMsAgo)).toBe(delayMs);
});

test('of any series of ends at most three within any ten minutes lead to a restart, and no end too few', () => {
  const gaps = array(record({ afterMs: nat(WINDOW_MS), reason: restartable }));
  assert(
    property(gaps, (ends) => {
      const restartedAt: number[] = [];
      let now = 0;
      for (const { afterMs, reason } of ends) {
        now += afterMs;
        const ago = restartedAt.map((at) => now - at);
        const delayMs = restartDelayMs('on-failure', { ...crashed, reason }, ago);
        const recent = ago.filter((ms) => ms < WINDOW_MS).length;
        expect(delayMs !== undefined).toBe(recent < 3);
        if (delayMs !== undefined) restartedAt.push(now);
      }
    }),
  );
});

test('a longer history, in whatever order, never makes a restart come sooner', () => {
  assert(
    property(times, nat(3 * WINDOW_MS), (ends, more) => {
      const before = restartDelayMs('on-failure', crashed, ends) ?? Number.POSITIVE_INFINITY;
      const after = restartDelayMs('on-failure', crashed, [more, ...ends.toReversed()]);
      expect(after ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(before);
    }),
  );
});

test('an agent that was asked to stop, gave up, completed, or cannot be started is never restarted, however its workload ends', () => {
  const asked = STOP_REASONS.filter((reason) => !RESTARTABLE.some((one) => one === reason));
  const workload = oneof(
    constant({ phase: 'absent' } as const),
    record({
      phase: constant('ended' as const),
      exitCode: option(nat(255)),
      cause: constantFrom<StopReason>(...STOP_REASONS),
    }),
  );
  assert(
    property(constantFrom(...asked), workload, times, (reason, observed, ends) => {
      const state: AgentState = { ...crashed, status: 'Running', reason };
      expect(restartDelayMs('on-failure', nextState(state, observed), ends)).toBeUndefined();
    }),
  );
  const unasked: AgentState = { status: 'Running', reason: null, detail: null, exitCode: null };
  const completed = nextState(unasked, { phase: 'ended', exitCode: 0 });
  expect(restartDelayMs('on-failure', completed, [])).toBeUndefined();
});

test('an agent that lives, or whose policy is never, is not restarted', () => {
  assert(
    property(constantFrom(...RESTART_POLICIES), restartable, times, (policy, reason, ends) => {
      for (const status of ['Starting', 'Running'] as const) {
        expect(restartDelayMs(policy, { status, reason }, ends)).toBeUndefined();
      }
      expect(restartDelayMs('never', { status: 'Stopped', reason }, ends)).toBeUndefined();
    }),
  );
});

test('each workload of an agent has an id of its own, and the first that of the agent', () => {
  expect([0, 1, 2, 10].map((restarts) => workloadIdOf('a', restarts))).toEqual([
    'a',
    'a-1',
    'a-2',
    'a-10',
  ]);
});
