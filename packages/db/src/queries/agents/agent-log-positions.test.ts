import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { appendLogLines } from '../../../testing/agent-logs.ts';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { lookAtLogs } from './agent-log-positions.ts';

test('the states of logs are given to members alone, and say what comes next and whether anything can', async ({
  project,
}) => {
  const [agentId, silent] = [await addAgent(project), await addAgent(project)];
  await appendLogLines(project, agentId, [3]);
  const { userId } = await project.newMember();
  const stranger = await project.newUser();
  const readers = [
    { agentId, userId },
    { agentId: silent, userId },
    { agentId, userId: stranger },
    { agentId: uuidv7(), userId },
  ];
  const states = async () =>
    (await lookAtLogs(project, readers)).toSorted((a, b) => b.nextLine - a.nextLine);
  expect(await states()).toEqual([
    { agentId, userId, nextLine: 3, isComplete: false },
    { agentId: silent, userId, nextLine: 0, isComplete: false },
  ]);
  await project.sql`update agents set status = 'Stopped', stopped_at = now() where id = ${agentId}`;
  expect(await states()).toMatchObject([{ isComplete: true }, { isComplete: false }]);
  await project.sql`update sessions set deleted_at = now()`;
  expect(await states()).toEqual([]);
  expect(await lookAtLogs(project, [])).toEqual([]);
});
