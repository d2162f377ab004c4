import * as fc from 'fast-check';
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

/** Stores appends of the given sizes, and returns all lines. */
async function appendAll(project: TestProject, agentId: string, sizes: readonly number[]) {
  const logs = prepareAgentLogQueries(project);
  let end = await logs.findLogEnd(agentId);
  for (const size of sizes) {
    const next = await logs.appendLog(agentId, end, numbered(end.nextLine, size));
    if (!next) throw new Error('nobody else has written');
    end = next;
  }
  return numbered(0, end.nextLine);
}

test('whatever the appends: each line has its number, and every tail and every start is found', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 25 }),
      async (sizes, count) => {
        const agentId = await newAgent(project);
        const lines = await appendAll(project, agentId, sizes);
        expect(await logs.tailLog(agentId, count)).toEqual(lines.slice(-count));
        const first = Math.max(lines.length - count, 0);
        expect(await logs.findTailLine(agentId, count)).toBe(first);
        const numberedLines = lines.map((line, number) => ({ ...line, number }));
        expect(await logs.listLogFrom(agentId, first)).toEqual(numberedLines.slice(first));
        const since = lines[Math.min(count, lines.length) - 1]?.at ?? 0;
        const after = Math.min(count, lines.length);
        expect(await logs.findLineSince(agentId, since)).toBe(after);
        expect(await logs.listLogSince(agentId, since)).toEqual(lines.slice(after));
      },
    ),
    { numRuns: 30 },
  );
}, 20_000);

test('an agent without output has an empty log, from every start', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const agentId = await newAgent(project);
  expect([
    await logs.tailLog(agentId, 9),
    await logs.listLogSince(agentId, 0),
    await logs.listLogFrom(agentId, 0),
    await logs.findTailLine(agentId, 9),
    await logs.findLineSince(agentId, 0),
  ]).toEqual([[], [], [], 0, 0]);
});

test('reading from a number gives eight appends at most, and goes on where it ended', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const agentId = await newAgent(project);
  const lines = await appendAll(
    project,
    agentId,
    Array.from({ length: 20 }, () => 3),
  );
  const read: number[] = [];
  for (;;) {
    const some = await logs.listLogFrom(agentId, read.length);
    expect(some.length).toBeLessThanOrEqual(24);
    if (some.length === 0) break;
    read.push(...some.map(({ number }) => number));
  }
  expect(read).toEqual(lines.map((_, index) => index));
});

test('reading from a number that was trimmed begins with the oldest line that is kept', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const agentId = await newAgent(project);
  await appendAll(
    project,
    agentId,
    Array.from({ length: 6 }, () => 1000),
  );
  const [first] = await logs.listLogFrom(agentId, 0);
  expect(first?.number).toBe(1000);
  expect(await logs.findTailLine(agentId, 100_000)).toBe(1000);
});

test('the states of logs are given to members alone, and say what comes next and whether anything can', async () => {
  await using project = await createTestProject();
  const logs = prepareAgentLogQueries(project);
  const [agentId, silent] = [await newAgent(project), await newAgent(project)];
  await appendAll(project, agentId, [3]);
  const { userId } = await project.newMember();
  const stranger = await project.newUser();
  const readers = [
    { agentId, userId },
    { agentId: silent, userId },
    { agentId, userId: stranger },
    { agentId: uuidv7(), userId },
  ];
  const states = async () =>
    (await logs.lookAtLogs(readers)).toSorted((a, b) => b.nextLine - a.nextLine);
  expect(await states()).toEqual([
    { agentId, userId, nextLine: 3, isComplete: false },
    { agentId: silent, userId, nextLine: 0, isComplete: false },
  ]);
  await project.sql`update agents set status = 'Stopped', stopped_at = now() where id = ${agentId}`;
  expect(await states()).toMatchObject([{ isComplete: true }, { isComplete: false }]);
  await project.sql`update sessions set deleted_at = now()`;
  expect(await states()).toEqual([]);
  expect(await logs.lookAtLogs([])).toEqual([]);
});
