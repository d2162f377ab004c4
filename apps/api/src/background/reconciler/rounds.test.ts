import type { AgentLauncher, AgentObservation, Workload } from '@session/agents';
import { EXTERNAL_ROLE } from '@session/contract';
import type { LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { agentRow, fakeSupervision, storedAgent } from '../../../testing/supervision.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { currentWorkloadId } from './next-step.ts';
import { Reconciler } from './reconciler.ts';
import type { SupervisionDeps } from './supervision.ts';

const TIMING = { pollMs: 3000, startingPollMs: 250, retryMs: 1000 };
const startedAt = '2026-11-21T08:00:00.000Z';

/** Opens a reconciler in virtual time, on rows and workloads that the test changes. `roundsAt` has the times at which it has read the rows. */
function openReconciler(
  rows: LiveAgentRow[],
  workloads: [LiveAgentRow, Workload][] = [],
  overrides: Partial<AgentLauncher> = {},
  isLeading = true,
  rooms: Partial<SupervisionDeps['rooms']> = {},
) {
  startVirtualTime(Date.parse(startedAt));
  const began = performance.now();
  const roundsAt: number[] = [];
  /** The times at which only the names of the workloads were read. */
  const namesReadAt: number[] = [];
  const warnings: string[] = [];
  const database = { isAway: false };
  const { deps, calls, output } = fakeSupervision({}, (name) => {
    if (name === 'list_live_workloads') {
      namesReadAt.push(performance.now() - began);
      return Promise.resolve(rows.map(({ id, restarts }) => ({ id, restarts })));
    }
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
    rooms: { ...deps.rooms, ...rooms },
    isLeading: () => isLeading,
    timing: TIMING,
    shutdown: new ShutdownBudget(2000),
    log: { ...deps.log, warn: (_: unknown, message?: string) => void warnings.push(`${message}`) },
  });
  return {
    reconciler,
    calls,
    roundsAt,
    namesReadAt,
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

test('many wake-ups begin a round at once, and one more after a tenth of a second', async () => {
  const { reconciler, roundsAt } = openReconciler([]);
  await using _ = reconciler;
  await passTime(1000);
  for (let count = 0; count < 50; count += 1) {
    reconciler.wake();
    await passTime(2);
  }
  await passTime(1000);
  expect(roundsAt).toEqual([0, 1000, 1100]);
});

test('a process that does not lead reads nothing unless it has workloads, and then only what names them', async () => {
  const row = agentRow({ startedAt, status: 'Running' });
  const { reconciler, roundsAt, namesReadAt, calls, report } = openReconciler([row], [], {}, false);
  await using _ = reconciler;
  await passTime(1000);
  reconciler.wake();
  await passTime(1000);
  expect(namesReadAt).toEqual([]);
  const workload = { phase: 'running' } as const;
  report({ type: 'workload', workloadId: currentWorkloadId(row), workload });
  await passTime(1000);
  expect([namesReadAt, calls]).toEqual([[2000], []]);
  report({ type: 'workload', workloadId: uuidv7(), workload });
  await passTime(1);
  expect([namesReadAt, calls]).toEqual([[2000, 3000], ['stop']]);
  expect(roundsAt).toEqual([]);
});

test('of many steps 20 are taken at a time', async () => {
  const rows = Array.from({ length: 50 }, () => agentRow({ id: uuidv7() }));
  const { promise: started, resolve: endStarts } = Promise.withResolvers<void>();
  let begun = 0;
  const start = async () => {
    begun += 1;
    await started;
  };
  const { reconciler } = openReconciler(rows, [], { start });
  await using _ = reconciler;
  await passTime(50);
  expect(begun).toBe(20);
  endStarts();
  await passTime(50);
  expect(begun).toBe(50);
});

test('an agent starts while the launcher does not answer the ends of many orphans', async () => {
  const orphans = Array.from({ length: 25 }, () => agentRow({ id: uuidv7(), startedAt }));
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { reconciler, calls } = openReconciler(
    [agentRow()],
    orphans.map((row) => [row, { phase: 'running' }]),
    { stop: () => answered },
  );
  await using _ = reconciler;
  await passTime(50);
  expect(calls).toEqual(['start', 'started']);
  answer();
});

test('an agent starts while the media server does not answer for many external agents', async () => {
  const external = Array.from({ length: 25 }, () =>
    agentRow({ id: uuidv7(), role: EXTERNAL_ROLE }),
  );
  const { promise: answered, resolve: answer } = Promise.withResolvers<[]>();
  const rooms = { listParticipants: () => answered };
  const { reconciler, calls } = openReconciler([...external, agentRow()], [], {}, true, rooms);
  await using _ = reconciler;
  await passTime(50);
  expect(calls).toEqual(['start', 'started']);
  answer([]);
});

test('an agent starts while many others wait for the rest of their logs', async () => {
  const { promise: logsEnded, resolve: endLogs } = Promise.withResolvers<void>();
  const logs: AgentLauncher['logs'] = async function* read() {
    await logsEnded;
    yield* [];
  };
  const ended = Array.from({ length: 50 }, () =>
    agentRow({ id: uuidv7(), startedAt, status: 'Running' }),
  );
  const { reconciler, calls } = openReconciler(
    [...ended, agentRow()],
    ended.map((row) => [row, { phase: 'ended', exitCode: 0 }]),
    { logs },
  );
  await using _ = reconciler;
  await passTime(50);
  expect(calls).toEqual(['start', 'started']);
  endLogs();
  await passTime(50);
  expect(calls).toHaveLength(52);
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
  await passTime(100);
  database.isAway = true;
  reconciler.wake();
  await passTime(3000);
  expect(roundsAt).toEqual([0, 100, 1100, 2100, 3100]);
  expect(warnings).toEqual(['reconciling agents failed, retrying']);
  database.isAway = false;
  await passTime(1000 + TIMING.pollMs);
  expect(roundsAt.slice(5)).toEqual([4100, 7100]);
  database.isAway = true;
  await passTime(TIMING.pollMs);
  expect(warnings).toHaveLength(2);
});

test('a workload that ends wakes the reconciler, which stores the end', async () => {
  const row = agentRow({ startedAt, status: 'Running' });
  const { reconciler, calls, report } = openReconciler([row], [[row, { phase: 'running' }]]);
  await using _ = reconciler;
  await passTime(100);
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
