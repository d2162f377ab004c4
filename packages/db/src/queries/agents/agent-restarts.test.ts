import { expect } from 'vitest';
import { appendLogLines } from '../../../testing/agent-logs.ts';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listTextsAfter } from '../messages/spoken-messages.ts';
import { markAgentStarted, requestAgentStop, updateAgentState } from './agent-changes.ts';
import { restartAgent } from './agent-restarts.ts';
import { findAgentTimes } from './agent-timeline.ts';
import { listLiveAgents } from './agents.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const state = { reason: null, detail: null, exitCode: null };
const crash = { reason: 'crashed', delayMs: 60_000, restarts: 0 };

/** Returns an agent that runs, and how to read it. */
async function runningAgent(project: TestProject) {
  const id = await addAgent(project);
  await markAgentStarted(project, id);
  await updateAgentState(project, id, { status: 'Running', ...state });
  const row = async () => (await listLiveAgents(project)).find((agent) => agent.id === id);
  const ends = async () => (await findAgentTimes(project, id, 'agent'))?.ends;
  return { id, row, ends };
}

test('a restarted agent is Starting and waits for its delay, and its row tells when it crashed, restarted and joined', async ({
  project,
}) => {
  const { id, row, ends } = await runningAgent(project);
  const before = await row();
  expect(await restartAgent(project, id, crash)).toBe(true);
  const waiting = await row();
  const { startedAt, runningAt } = before ?? {};
  expect(waiting).toMatchObject({ status: 'Starting', restarts: 1, startedAt, runningAt });
  expect(waiting?.restartInMs).toBeGreaterThan(0);
  expect(waiting?.restartInMs).toBeLessThanOrEqual(60_000);
  expect(waiting?.endsMsAgo).toEqual([expect.toSatisfy((ms: number) => ms >= 0 && ms < 60_000)]);
  const end = { reason: 'crashed', endedAt: ISO, restartedAt: null, joinedAt: null };
  expect(await ends()).toEqual([end]);

  await markAgentStarted(project, id, 1);
  expect(await row()).toMatchObject({ restartInMs: null, startedAt });
  await updateAgentState(project, id, { status: 'Running', ...state, restarts: 1 });
  expect(await row()).toMatchObject({ status: 'Running', restarts: 1, runningAt });
  expect(await ends()).toEqual([{ ...end, restartedAt: ISO, joinedAt: ISO }]);
});

test('a text that a recorder received before an end and stores after it comes behind what the next workload knows', async ({
  project,
}) => {
  const { id, row } = await runningAgent(project);
  const { sessionId = '', createdAt } = (await row()) ?? {};
  expect(await row()).toMatchObject({ missedSince: createdAt });
  await appendMessages(project, [typedText(sessionId, { content: 'known' })]);
  const late = typedText(sessionId, { content: 'late' });
  await restartAgent(project, id, crash);
  await appendMessages(project, [late]);
  const after = (await row())?.missedSince ?? '';
  const missed = await listTextsAfter(project, { sessionId, after, limit: 9 });
  expect(missed.map(({ content }) => content)).toEqual(['late']);
});

test('the lines of the next workload begin behind the log as it was at the restart', async ({
  project,
}) => {
  const { id, row } = await runningAgent(project);
  expect(await row()).toMatchObject({ firstLine: 0 });
  await appendLogLines(project, id, [2, 3]);
  await restartAgent(project, id, crash);
  await appendLogLines(project, id, [1]);
  expect(await row()).toMatchObject({ firstLine: 5 });
});

test('a restart wakes the reconciler', async ({ project }) => {
  const { id } = await runningAgent(project);
  await using notifications = await openNotifications(project.url);
  await restartAgent(project, id, crash);
  expect(await notifications.take()).toEqual([`agent_changed ${id}`]);
});

test('what a process knew before the restart changes nothing afterwards', async ({ project }) => {
  const { id, row } = await runningAgent(project);
  await restartAgent(project, id, crash);
  const waiting = await row();
  expect(await restartAgent(project, id, crash)).toBe(false);
  await markAgentStarted(project, id, 0);
  const lost = { ...state, status: 'Stopped', reason: 'lost', restarts: 0 } as const;
  expect(await updateAgentState(project, id, lost)).toBe(false);
  const ready = { ...state, status: 'Running', restarts: 0 } as const;
  expect(await updateAgentState(project, id, ready)).toBe(false);
  const number = expect.any(Number);
  const unchanged = { nowMs: number, restartInMs: number, endsMsAgo: [number] };
  expect(await row()).toEqual({ ...waiting, ...unchanged });
});

test.each<[string, (project: TestProject, id: string) => Promise<unknown>]>([
  ['was asked to stop', async (project, id) => await requestAgentStop(project, id, 'requested')],
  [
    'has stopped',
    async (project, id) => await updateAgentState(project, id, { status: 'Stopped', ...state }),
  ],
  [
    'belongs to a closed session',
    async ({ sql }) =>
      await sql`update sessions set status = 'CLOSED', closed_at = now(), close_reason = 'user'`,
  ],
  [
    'belongs to a deleted session',
    async ({ sql }) => await sql`update sessions set deleted_at = now()`,
  ],
])('an agent that %s is not restarted', async (_, act) => {
  await using project = await createTestProject();
  const { id, ends } = await runningAgent(project);
  await act(project, id);
  expect(await restartAgent(project, id, crash)).toBe(false);
  expect(await ends()).toEqual([]);
});

test('a row keeps the newest 20 ends, and counts all', async ({ project }) => {
  const { id, row, ends } = await runningAgent(project);
  for (let restarts = 0; restarts < 25; restarts += 1) {
    await restartAgent(project, id, { reason: `end ${restarts}`, delayMs: 0, restarts });
  }
  const kept = (await ends())?.map(({ reason }) => reason);
  expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => `end ${index + 5}`));
  expect(await row()).toMatchObject({ restarts: 25 });
});

test('a stop request ends the wait: the agent stays Stopped with its reason', async ({
  project,
}) => {
  const { id, row } = await runningAgent(project);
  await restartAgent(project, id, crash);
  expect(await requestAgentStop(project, id, 'requested')).toBe(true);
  expect(await row()).toMatchObject({ desired: 'stopped', reason: 'requested' });
  const end = { ...state, status: 'Stopped', restarts: 1 } as const;
  expect(await updateAgentState(project, id, end)).toBe(true);
  expect(await restartAgent(project, id, { ...crash, restarts: 1 })).toBe(false);
});
