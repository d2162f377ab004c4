import { expect } from 'vitest';
import { logLines } from '../../../testing/agent-logs.ts';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { appendLog, findLogEnd } from './agent-log-appends.ts';
import { tailLog } from './agent-logs.ts';

test('two writers at the same end of a log: one writes, the other must read the end again', async ({
  project,
}) => {
  const agentId = await addAgent(project);
  const end = await findLogEnd(project, agentId);
  const writes = [
    appendLog(project, agentId, end, logLines(0, 2)),
    appendLog(project, agentId, end, logLines(0, 2)),
  ];
  const ends = await Promise.all(writes);
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(await tailLog(project, agentId, 9)).toEqual(logLines(0, 2));
});

test('the last 5,000 lines are kept, or the last MiB', async ({ project }) => {
  const append = async (agentId: string, flushes: number, count: number, text: string) => {
    let end = await findLogEnd(project, agentId);
    for (let flush = 0; flush < flushes; flush += 1) {
      end = (await appendLog(project, agentId, end, logLines(flush * count, count, text))) ?? end;
    }
    return await tailLog(project, agentId, 20_000);
  };
  const many = await append(await addAgent(project), 27, 200, '');
  expect(many).toEqual(logLines(400, 5000, ''));
  const long = await append(await addAgent(project), 30, 1, 'x'.repeat(65_536));
  expect(long.length).toBe(16);
});
