import type { AgentLauncher, AgentObservation } from '@session/agents';
import { describeError } from '@session/kit';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { StatementAnswer } from '../../../testing/answered-database.ts';
import { AGENT_ID, agentRow, fakeSupervision, storedAgent } from '../../../testing/supervision.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { Reconciler } from './reconciler.ts';

const RUNNING: readonly AgentObservation[] = [
  { type: 'workload', workloadId: AGENT_ID, workload: { phase: 'running' } },
  { type: 'synced' },
];

/** Opens a reconciler in virtual time, which tries again each second. `logged` has the errors in its warnings. */
function openReconciler(answer: StatementAnswer, overrides: Partial<AgentLauncher> = {}) {
  startVirtualTime();
  const { deps, output } = fakeSupervision({}, answer);
  output.resolve([]);
  const logged: unknown[] = [];
  const reconciler = new Reconciler({
    ...deps,
    isLeading: () => true,
    shutdown: new ShutdownBudget(1000),
    timing: { pollMs: 60_000, startingPollMs: 60_000, retryMs: 1000 },
    log: { ...deps.log, warn: (line: { err?: unknown }) => void logged.push(line.err) },
    launcher: {
      ...deps.launcher,
      async *observe() {
        yield* RUNNING;
      },
      ...overrides,
    },
  });
  return { reconciler, logged };
}

test('the log has the text of a failed statement, and none of its values', async () => {
  const failure = Object.assign(new Error('Failed query: update\nparams: hunter2'), {
    query: 'update',
    params: ['hunter2'],
  });
  const { reconciler, logged } = openReconciler((name) => {
    if (name === 'list_live_agents') return Promise.resolve([storedAgent(agentRow())]);
    return name === 'mark_agent_started' ? Promise.reject(failure) : undefined;
  });
  await using _ = reconciler;
  await passTime(10);
  const said = JSON.stringify(describeError(logged[0]));
  expect(said).toContain('Failed query: update');
  expect(said).not.toContain('hunter2');
});

test('a failure that lasts hides no other one, and each is one line in the log', async () => {
  const rows = [agentRow()];
  const refused = new Error('refused');
  const full = new Error('full');
  const { reconciler, logged } = openReconciler(
    (name) => (name === 'list_live_agents' ? Promise.resolve(rows.map(storedAgent)) : undefined),
    {
      start: async ({ agentId }) => Promise.reject(agentId === AGENT_ID ? refused : full),
      async *observe() {
        yield { type: 'synced' };
      },
    },
  );
  await using _ = reconciler;
  await passTime(2500);
  rows.push(agentRow({ id: uuidv7() }));
  await passTime(2500);
  expect(logged).toEqual([refused, full]);
});

test('failures of different statements are one line while the database is away', async () => {
  let isRead = true;
  const { reconciler, logged } = openReconciler((name) => {
    if (name === 'list_live_agents') {
      return isRead ? Promise.resolve([storedAgent(agentRow())]) : Promise.reject(away('select'));
    }
    return name === 'mark_agent_started' ? Promise.reject(away('update')) : undefined;
  });
  await using _ = reconciler;
  await passTime(500);
  isRead = false;
  await passTime(2000);
  expect(logged).toEqual([away('update')]);
});

test('of failures that differ in each round only the first 20 are logged', async () => {
  let rounds = 0;
  const { reconciler, logged } = openReconciler((name) => {
    if (name !== 'list_live_agents') return undefined;
    rounds += 1;
    return Promise.reject(new Error(`failure ${rounds}`));
  });
  await using _ = reconciler;
  await passTime(25_000);
  expect(rounds).toBeGreaterThan(20);
  expect(logged).toHaveLength(20);
});

function away(query: string): Error {
  return Object.assign(new Error(query), { code: 'ECONNREFUSED' });
}
