import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../testing/project.ts';
import { prepareAgentLogQueries } from './agent-logs.ts';
import { prepareAgentQueries } from './agents.ts';

async function newAgent(project: TestProject): Promise<string> {
  const [id, sessionId] = [uuidv7(), await project.newSession()];
  const part = { role: 'echo-agent', planId: null, envTemplateId: null, config: {} };
  await prepareAgentQueries(project).insertAgent({
    id,
    sessionId,
    createdBy: project.userId,
    ...part,
  });
  return id;
}

/** `count` lines from the number `first` on, a microsecond apart. */
function numbered(first: number, count: number, text = '') {
  return Array.from({ length: count }, (_, index) => ({
    at: 1_795_247_711_560_123 + first + index,
    line: `${first + index} ${text}`,
  }));
}

test('lines come back as they were stored, counted from the end or from a time to the microsecond', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const agentId = await newAgent(project);
  const end = await logs.findLogEnd(agentId);
  expect(end).toEqual({ nextLine: 0, nextByte: 0, lastAt: null });
  const lines = [...numbered(0, 4), { at: numbered(4, 1)[0]?.at ?? 0, line: '"\\ {,} ü\0' }];
  const next = await logs.appendLog(agentId, end, lines);
  if (!next) throw new Error('nobody else has written');
  expect(await logs.findLogEnd(agentId)).toEqual(next);
  await logs.appendLog(agentId, next, numbered(5, 2));
  const kept = [...lines.slice(0, 4), { ...lines[4], line: '"\\ {,} ü\uFFFD' }, ...numbered(5, 2)];
  expect(await logs.tailLog(agentId, 5000)).toEqual(kept);
  expect(await logs.tailLog(agentId, 3)).toEqual(kept.slice(-3));
  expect(await logs.listLogSince(agentId, lines[2]?.at ?? 0)).toEqual(kept.slice(3));
  expect(await logs.tailLog(uuidv7(), 3)).toEqual([]);
});

test('two writers at the same end of a log: one writes, the other must read the end again', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const agentId = await newAgent(project);
  const end = await logs.findLogEnd(agentId);
  const writes = [
    logs.appendLog(agentId, end, numbered(0, 2)),
    logs.appendLog(agentId, end, numbered(0, 2)),
  ];
  const ends = await Promise.all(writes);
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(await logs.tailLog(agentId, 9)).toEqual(numbered(0, 2));
});

test('the last 5,000 lines are kept, or the last MiB', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const append = async (agentId: string, flushes: number, count: number, text: string) => {
    let end = await logs.findLogEnd(agentId);
    for (let flush = 0; flush < flushes; flush += 1) {
      end = (await logs.appendLog(agentId, end, numbered(flush * count, count, text))) ?? end;
    }
    return await logs.tailLog(agentId, 20_000);
  };
  const many = await append(await newAgent(project), 27, 200, '');
  expect(many).toEqual(numbered(400, 5000, ''));
  const long = await append(await newAgent(project), 30, 1, 'x'.repeat(65_536));
  expect(long.length).toBe(16);
});
