import type { AgentLauncher, AgentObservation, Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { agentRow, fakeSupervision, storedAgent } from '../../../testing/supervision.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { currentWorkloadId } from './next-step.ts';
import { Reconciler } from './reconciler.ts';

const TIMING = { pollMs: 3000, startingPollMs: 250, retryMs: 1000 };
const startedAt = '2026-11-21T08:00:00.000Z';

/** Opens a reconciler in virtual time, on rows and workloads that the test changes. `roundsAt` has the times at which it has read the rows. */
function openReconciler(
  rows: LiveAgentRow[],
  workloads: [LiveAgentRow, Workload][] = [],
  overrides: Partial<AgentLauncher> = {},
) {
  startVirtualTime(Date.parse(startedAt));
  const began = performance.now();
  const roundsAt: number[] = [];
  const warnings: string[] = [];
  const database = { isAway: false };
  const { deps, calls, output } = fakeSupervision({}, (name) => {
    if (name !== 'list_live_agents') return undefined;
    roundsAt.push(performance.now() - began);
    return database.isAway
      ? Promise.reject(new Error('away'))
      : Promise.resolve(rows.map(storedAgent));
  });
  output.resolve([]);
  let next = Promise.withResolvers<AgentObservation | undefined>();
  const launcher: AgentLauncher = {
    ...deps.launcher,
    async *observe(signal) {
      for (const [row, workload] of workloads) {
        yield { type: 'workload', workloadId: currentWorkloadId(row), workload };
      }
      yield { type: 'synced' };
      while (!signal.aborted) {
        next = Promise.withResolvers();
        signal.addEventListener('abort', () => next.resolve(undefined), { once: true });
        const observation = await next.promise;
        if (observation) yield observation;
      }
    },
    ...overrides,
  };
  const reconciler = new Reconciler({
    ...deps,
    launcher,
    isLeading: () => true,
    timing: TIMING,
    shutdown: new ShutdownBudget(2000),
    log: { ...deps.log, warn: (_: unknown, message?: string) => void warnings.push(`${message}`) },
  });
  return {
    reconciler,
    calls,
    roundsAt,
    warnings,
    database,
    report: (observation: AgentObservation) => next.resolve(observation),
  };
}

test('without anything to do a round follows the other after the poll’s pause; a wake-up begins one at once', async () => {
  const { reconciler, roundsAt } = openReconciler([]);
  await using _ = reconciler;
  await passTime(6000);
  expect(roundsAt).toEqual([0, 3000, 6000]);
  await passTime(100);
  reconciler.wake();
  await passTime(2999);
  expect(roundsAt.slice(3)).toEqual([6100]);
  await passTime(1);
  expect(roundsAt.slice(4)).toEqual([9100]);
});

test('while an agent with a workload is not ready it is looked at four times a second', async () => {
  const starting = agentRow({ startedAt });
  const { reconciler, roundsAt } = openReconciler([starting], [[starting, { phase: 'running' }]]);
  await using _ = reconciler;
  await passTime(1000);
  expect(roundsAt).toEqual([0, 250, 500, 750, 1000]);
});

test('an agent without a workload is looked at by the poll, until its restart is due', async () => {
  const { reconciler, roundsAt } = openReconciler([agentRow({ restarts: 1, restartInMs: 60_000 })]);
  await using _ = reconciler;
  await passTime(3000);
  expect(roundsAt).toEqual([0, 3000]);
});

test('a restart that is due before the next poll is not late', async () => {
  const crashed = agentRow({ startedAt, restarts: 1, restartInMs: 700 });
  const { reconciler, roundsAt, calls } = openReconciler([crashed]);
  await using _ = reconciler;
  await passTime(699);
  Object.assign(crashed, { restartInMs: 0 });
  expect([roundsAt, calls]).toEqual([[0], []]);
  await passTime(1);
  expect([roundsAt, calls]).toEqual([
    [0, 700],
    ['start', 'started'],
  ]);
});

test('while the database is away a round is tried each second, and that is one line in the log', async () => {
  const { reconciler, roundsAt, warnings, database } = openReconciler([]);
  await using _ = reconciler;
  await passTime(1);
  database.isAway = true;
  reconciler.wake();
  await passTime(3000);
  expect(roundsAt).toEqual([0, 1, 1001, 2001, 3001]);
  expect(warnings).toEqual(['reconciling agents failed']);
  database.isAway = false;
  await passTime(1000 + TIMING.pollMs);
  expect(roundsAt.slice(5)).toEqual([4001, 7001]);
  database.isAway = true;
  await passTime(TIMING.pollMs);
  expect(warnings).toHaveLength(2);
});

test('a workload that ends wakes the reconciler, which stores the end', async () => {
  const row = agentRow({ startedAt, status: 'Running' });
  const { reconciler, calls, report } = openReconciler([row], [[row, { phase: 'running' }]]);
  await using _ = reconciler;
  await passTime(10);
  expect(calls).toEqual([]);
  report({
    type: 'workload',
    workloadId: currentWorkloadId(row),
    workload: { phase: 'ended', exitCode: 0 },
  });
  await passTime(1);
  expect(calls).toEqual(['Stopped completed']);
});

test('the log of a stopped agent is not read any more, although its workload’s end is still reported', async () => {
  let isRead = false;
  const logs: AgentLauncher['logs'] = async function* read(_, { signal } = {}) {
    isRead = true;
    if (signal) await aborted(signal);
    isRead = false;
    yield* [];
  };
  const row = agentRow({ startedAt, status: 'Running' });
  const rows = [row];
  const lost = { phase: 'ended', exitCode: null, cause: 'lost' } as const;
  const { reconciler, calls } = openReconciler(rows, [[row, lost]], { logs });
  await using _ = reconciler;
  // The log of a pod whose node is gone does not end.
  await passTime(60_000);
  expect([calls[0], isRead]).toEqual(['Stopped lost', true]);
  rows.pop();
  await passTime(TIMING.pollMs);
  expect(isRead).toBe(false);
});
