import type { AgentObservation } from '@session/agents';
import { describeError } from '@session/kit';
import { expect, test } from 'vitest';
import { AGENT_ID, agentRow, fakeSupervision } from '../../../testing/supervision.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { Reconciler } from './reconciler.ts';

test('the log has the text of a failed statement, and none of its values', async () => {
  const { deps, output } = fakeSupervision();
  output.resolve([]);
  const failure = Object.assign(new Error('Failed query: update\nparams: hunter2'), {
    query: 'update',
    params: ['hunter2'],
  });
  const logged = Promise.withResolvers<unknown>();
  const seen: readonly AgentObservation[] = [
    { type: 'workload', workloadId: AGENT_ID, workload: { phase: 'running' } },
    { type: 'synced' },
  ];
  await using _ = new Reconciler({
    ...deps,
    lease: { isHeld: true },
    shutdown: new ShutdownBudget(1000),
    timing: { pollMs: 60_000, startingPollMs: 60_000, retryMs: 60_000 },
    log: { ...deps.log, warn: (line: { err?: unknown }) => logged.resolve(line.err) },
    agents: {
      ...deps.agents,
      listLiveAgents: async () => [agentRow()],
      markAgentStarted: async () => Promise.reject(failure),
    },
    launcher: {
      ...deps.launcher,
      async *observe() {
        yield* seen;
      },
    },
  });
  const said = JSON.stringify(describeError(await logged.promise));
  expect(said).toContain('Failed query: update');
  expect(said).not.toContain('hunter2');
});
