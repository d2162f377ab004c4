import { startVirtualTime } from '@session/testing/virtual-time';
import { expect, test, vi } from 'vitest';
import { agentRow, fakeSupervision } from '../../../testing/supervision.ts';
import { ExternalAgent } from './external-agent.ts';

const CREATED = Date.parse(agentRow().createdAt);
const LIMITS = { externalPollMs: 2000, externalGraceMs: 20_000, externalWaitMs: 600_000 };

/** Returns the row of an external agent as it is read `ms` after its request. */
function rowAfter(ms: number, change: Parameters<typeof agentRow>[0] = {}) {
  return agentRow({ role: 'external', nowMs: CREATED + ms, ...change });
}

test('an agent that has not joined gets all its time when the clock of this process is ahead', async () => {
  startVirtualTime(CREATED + 600_000);
  const { deps, calls } = fakeSupervision({ ...LIMITS, externalGraceMs: 0 });
  await using early = new ExternalAgent(deps);
  await early.reconcile(rowAfter(599_999));
  expect(calls).toEqual([]);
  await using late = new ExternalAgent(deps);
  await late.reconcile(rowAfter(600_000));
  expect(calls[0]).toBe('Stopped never_joined');
});

const RUNNING = { status: 'Running', joinedAt: CREATED - 60_000 } as const;

/** Opens an external agent in virtual time whose room is empty. `left` has the durations of its noted absences. */
function openAbsent() {
  startVirtualTime(CREATED);
  const left: unknown[] = [];
  const { deps, calls } = fakeSupervision(LIMITS, (name, [, leftMsAgo]) => {
    if (name !== 'note_agent_left') return undefined;
    left.push(leftMsAgo);
    return Promise.resolve([{}]);
  });
  const began = performance.now();
  let ledSince = began;
  const agent = new ExternalAgent({ ...deps, ledSince: () => ledSince });
  const leadAgain = () => {
    ledSince = performance.now();
  };
  /** Looks once, after `ms`. */
  const lookAfter = async (ms: number, change: Parameters<typeof agentRow>[0]) => {
    vi.advanceTimersByTime(ms);
    await agent.reconcile(rowAfter(performance.now() - began, change));
  };
  /** Looks every 2 s for `ms`. */
  const lookFor = async (ms: number, change: Parameters<typeof agentRow>[0]) => {
    for (let passedMs = 0; passedMs < ms; passedMs += LIMITS.externalPollMs) {
      await lookAfter(LIMITS.externalPollMs, change);
    }
  };
  return { agent, calls, left, leadAgain, lookFor, lookAfter };
}

test('an absence that began before another process led does not count', async () => {
  const { agent, calls, left, leadAgain, lookFor } = openAbsent();
  await using _ = agent;
  await lookFor(4000, RUNNING);
  vi.advanceTimersByTime(10_000);
  leadAgain();
  await lookFor(20_000, RUNNING);
  expect([left, calls]).toEqual([[], []]);
  await lookFor(2000, RUNNING);
  expect([left, calls]).toEqual([[20_000], []]);
});

test('an absence counts while the same process leads, however long its rounds take', async () => {
  const { agent, left, lookAfter } = openAbsent();
  await using _ = agent;
  await lookAfter(21_000, RUNNING);
  expect(left).toEqual([]);
  await lookAfter(21_000, RUNNING);
  expect(left).toEqual([21_000]);
});

test('an absence counts from the last join that any process has noted', async () => {
  const { agent, left, lookFor } = openAbsent();
  await using _ = agent;
  await lookFor(100_000, {});
  const joined = { status: 'Running', joinedAt: CREATED + 100_000 } as const;
  await lookFor(18_000, joined);
  expect(left).toEqual([]);
  await lookFor(2000, joined);
  expect(left).toEqual([20_000]);
});
