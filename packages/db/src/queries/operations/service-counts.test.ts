import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { insertAgent } from '../../../testing/agents.ts';
import { createTestProject } from '../../../testing/project.ts';
import { openDatabase } from '../../client.ts';
import { prepareAgentQueries } from '../agents/agents.ts';
import { prepareStatisticsQueries } from './statistics.ts';

test('the agents of all projects are counted by status, and connections by state under their name', async () => {
  await using project = await createTestProject();
  const statistics = prepareStatisticsQueries(project);
  expect(await statistics.countAgents()).toEqual([]);
  const agents = prepareAgentQueries(project);
  const state = { reason: null, detail: null, exitCode: null };
  for (const status of ['Starting', 'Starting', 'Running', 'Stopped'] as const) {
    await agents.updateAgentState(await insertAgent(project), { ...state, status });
  }
  const counts = await statistics.countAgents();
  expect(counts.toSorted((a, b) => b.count - a.count)).toEqual([
    { status: 'Starting', count: 2 },
    { status: 'Running', count: 1 },
  ]);
  const applicationName = `test-${uuidv7()}`;
  await using own = openDatabase(project.url, { applicationName, connections: 1 });
  const ownStatistics = prepareStatisticsQueries(own);
  expect(await ownStatistics.countConnections(applicationName)).toEqual([
    { state: 'active', count: 1 },
  ]);
  expect(await ownStatistics.countConnections(`${applicationName}-other`)).toEqual([]);
});
