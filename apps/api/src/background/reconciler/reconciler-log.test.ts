import type { AgentObservation } from '@session/agents';
import { describeError } from '@session/kit';
import { expect, test } from 'vitest';
import { AGENT_ID, agentRow, makeWorld } from '../../../testing/reconciler-world.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { Reconciler } from './reconciler.ts';

test('of a statement that failed the log has the text, and none of the values', async () => {
  const { world, log } = makeWorld();
  log.resolve([]);
  const failure = Object.assign(new Error('Failed query: update\nparams: hunter2'), {
    query: 'update',
    params: ['hunter2'],
  });
  const logged = Promise.withResolvers<unknown>();
  const seen: readonly AgentObservation[] = [
    { type: 'workload', agentId: AGENT_ID, workload: { phase: 'running' } },
    { type: 'synced' },
  ];
  await using _ = new Reconciler({
    ...world,
    leadership: { isHeld: true },
    shutdown: new ShutdownBudget(1000),
    timing: { everyMs: 60_000, startingMs: 60_000, retryMs: 60_000 },
    log: { ...world.log, warn: (line: { err?: unknown }) => logged.resolve(line.err) },
    agents: {
      ...world.agents,
      listLiveAgents: async () => [agentRow()],
      markAgentStarted: async () => Promise.reject(failure),
    },
    launcher: {
      ...world.launcher,
      async *observe() {
        yield* seen;
      },
    },
  });
  const said = JSON.stringify(describeError(await logged.promise));
  expect(said).toContain('Failed query: update');
  expect(said).not.toContain('hunter2');
});
