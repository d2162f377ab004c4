import type { AgentObservation } from '@session/agents';
import { describeError } from '@session/kit';
import { expect, test } from 'vitest';
import { AGENT_ID, agentRow, fakeSupervision, storedAgent } from '../../../testing/supervision.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { Reconciler } from './reconciler.ts';

test('the log has the text of a failed statement, and none of its values', async () => {
  const failure = Object.assign(new Error('Failed query: update\nparams: hunter2'), {
    query: 'update',
    params: ['hunter2'],
  });
  const { deps, output } = fakeSupervision({}, (name) => {
    if (name === 'list_live_agents') return Promise.resolve([storedAgent(agentRow())]);
    return name === 'mark_agent_started' ? Promise.reject(failure) : undefined;
  });
  output.resolve([]);
  const logged = Promise.withResolvers<unknown>();
  const seen: readonly AgentObservation[] = [
    { type: 'workload', workloadId: AGENT_ID, workload: { phase: 'running' } },
    { type: 'synced' },
  ];
  await using _ = new Reconciler({
    ...deps,
    isLeading: () => true,
    shutdown: new ShutdownBudget(1000),
    timing: { pollMs: 60_000, startingPollMs: 60_000, retryMs: 60_000 },
    log: { ...deps.log, warn: (line: { err?: unknown }) => logged.resolve(line.err) },
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
