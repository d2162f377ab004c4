import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { appendLogLines, logLines } from '../../../testing/agent-logs.ts';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { appendLog, findLogEnd } from './agent-log-appends.ts';
import { findLineSince, findTailLine } from './agent-log-positions.ts';
import { listLogFrom, listLogSince, tailLog } from './agent-logs.ts';

test('lines come back as they were stored, counted from the end or from a time to the microsecond', async ({
  project,
}) => {
  const agentId = await addAgent(project);
  const end = await findLogEnd(project, agentId);
  expect(end).toEqual({ nextLine: 0, nextByte: 0, lastAt: null });
  const lines = [...logLines(0, 4), { at: logLines(4, 1)[0]?.at ?? 0, line: '"\\ {,} ü\0' }];
  const next = await appendLog(project, agentId, end, lines);
  if (!next) throw new Error('nobody else has written');
  expect(await findLogEnd(project, agentId)).toEqual(next);
  await appendLog(project, agentId, next, logLines(5, 2));
  const kept = [...lines.slice(0, 4), { ...lines[4], line: '"\\ {,} ü\uFFFD' }, ...logLines(5, 2)];
  expect(await tailLog(project, agentId, 5000)).toEqual(kept);
  expect(await tailLog(project, agentId, 3)).toEqual(kept.slice(-3));
  expect(await listLogSince(project, agentId, lines[2]?.at ?? 0)).toEqual(kept.slice(3));
  expect(await tailLog(project, uuidv7(), 3)).toEqual([]);
});

test('whatever the appends: each line has its number, and every tail and every start is found', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 25 }),
      async (sizes, count) => {
        const agentId = await addAgent(project);
        const lines = await appendLogLines(project, agentId, sizes);
        expect(await tailLog(project, agentId, count)).toEqual(lines.slice(-count));
        const first = Math.max(lines.length - count, 0);
        expect(await findTailLine(project, agentId, count)).toBe(first);
        const numberedLines = lines.map((line, number) => ({ ...line, number }));
        expect(await listLogFrom(project, agentId, first)).toEqual(numberedLines.slice(first));
        const since = lines[Math.min(count, lines.length) - 1]?.at ?? 0;
        const after = Math.min(count, lines.length);
        expect(await findLineSince(project, agentId, since)).toBe(after);
        expect(await listLogSince(project, agentId, since)).toEqual(lines.slice(after));
      },
    ),
    { numRuns: 30 },
  );
});

test('an agent without output has an empty log, from every start', async ({ project }) => {
  const agentId = await addAgent(project);
  expect([
    await tailLog(project, agentId, 9),
    await listLogSince(project, agentId, 0),
    await listLogFrom(project, agentId, 0),
    await findTailLine(project, agentId, 9),
    await findLineSince(project, agentId, 0),
  ]).toEqual([[], [], [], 0, 0]);
});

test('reading from a number gives eight appends at most, and goes on where it ended', async ({
  project,
}) => {
  const agentId = await addAgent(project);
  const lines = await appendLogLines(
    project,
    agentId,
    Array.from({ length: 20 }, () => 3),
  );
  const read: number[] = [];
  for (;;) {
    const some = await listLogFrom(project, agentId, read.length);
    expect(some.length).toBeLessThanOrEqual(24);
    if (some.length === 0) break;
    read.push(...some.map(({ number }) => number));
  }
  expect(read).toEqual(lines.map((_, index) => index));
});

test('reading from a number that was trimmed begins with the oldest line that is kept', async ({
  project,
}) => {
  const agentId = await addAgent(project);
  await appendLogLines(
    project,
    agentId,
    Array.from({ length: 6 }, () => 1000),
  );
  const [first] = await listLogFrom(project, agentId, 0);
  expect(first?.number).toBe(1000);
  expect(await findTailLine(project, agentId, 100_000)).toBe(1000);
});
