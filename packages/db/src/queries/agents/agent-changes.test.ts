import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import type { AgentStatus } from '../../schema/agents.ts';
import { markAgentStarted, requestAgentStop, updateAgentState } from './agent-changes.ts';
import { findAgent } from './agents.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

const nothing = { reason: null, detail: null, exitCode: null };

async function find(id: string) {
  return await findAgent(project, { id, userId: project.userId });
}

/** Stores an agent, and moves it to `status`. */
async function agentIn(status: AgentStatus): Promise<string> {
  const id = await addAgent(project);
  if (status !== 'Starting') await updateAgentState(project, id, { ...nothing, status });
  return id;
}

test.each<[AgentStatus, AgentStatus, boolean]>([
  ['Starting', 'Starting', true],
  ['Starting', 'Running', true],
  ['Starting', 'Stopped', true],
  ['Running', 'Starting', false],
  ['Running', 'Running', true],
  ['Running', 'Stopped', true],
  ['Stopped', 'Starting', false],
  ['Stopped', 'Running', false],
  ['Stopped', 'Stopped', false],
])('from %s to %s: %s, and a refused change changes nothing', async (from, to, isAllowed) => {
  const id = await agentIn(from);
  const before = await find(id);
  const state = { status: to, reason: 'crashed', detail: 'so it did', exitCode: 3 };
  expect(await updateAgentState(project, id, state)).toBe(isAllowed);
  const after = await find(id);
  expect(after).toMatchObject(isAllowed ? state : { ...before });
});

test.each<[AgentStatus, readonly string[]]>([
  ['Starting', []],
  ['Running', ['runningAt']],
  ['Stopped', ['stoppedAt']],
])('an agent that is %s has the times %j', async (status, times) => {
  const agent = await find(await agentIn(status));
  const set = (['startedAt', 'runningAt', 'stoppedAt'] as const).filter((time) => agent?.[time]);
  expect(set).toEqual(times);
});

test('the time of the first Running stays, and a Stopped agent keeps it', async () => {
  const id = await agentIn('Running');
  await project.sql`update agents set running_at = '2026-11-21T08:00:00Z' where id = ${id}`;
  for (const status of ['Running', 'Stopped'] as const) {
    await updateAgentState(project, id, { ...nothing, status });
    expect(await find(id)).toMatchObject({ status, runningAt: '2026-11-21T08:00:00.000Z' });
  }
});

test('a null leaves what is stored; what is known later replaces it', async () => {
  const id = await addAgent(project);
  const first = { status: 'Running', reason: 'requested', detail: 'd', exitCode: null } as const;
  await updateAgentState(project, id, first);
  await updateAgentState(project, id, { ...nothing, status: 'Running', exitCode: 7 });
  expect(await find(id)).toMatchObject({ reason: 'requested', detail: 'd', exitCode: 7 });
  await updateAgentState(project, id, { ...nothing, status: 'Running', reason: 'crashed' });
  expect(await find(id)).toMatchObject({ reason: 'crashed', detail: 'd', exitCode: 7 });
});

test('an agent that stops by itself is not wanted any more', async () => {
  const id = await agentIn('Running');
  expect(await find(id)).toMatchObject({ desired: 'running' });
  await updateAgentState(project, id, { ...nothing, status: 'Stopped' });
  expect(await find(id)).toMatchObject({ desired: 'stopped' });
  expect(await requestAgentStop(project, id, 'requested')).toBe(false);
});

test('a stop is requested once, however many ask, with the first reason, and told once', async () => {
  const id = await agentIn('Running');
  await using notifications = await openNotifications(project.url);
  const reasons = ['requested', 'session_closed', 'a third'];
  const asked = await Promise.all(reasons.map((reason) => requestAgentStop(project, id, reason)));
  expect(asked.filter(Boolean)).toHaveLength(1);
  expect(await find(id)).toMatchObject({
    desired: 'stopped',
    status: 'Running',
    reason: reasons[asked.indexOf(true)],
  });
  expect(await notifications.take()).toEqual([`agent_changed ${id}`]);
});

test('an agent is marked as started once, and an unknown agent cannot be changed', async () => {
  const id = await addAgent(project);
  await markAgentStarted(project, id);
  await project.sql`update agents set started_at = '2026-11-21T08:00:00Z' where id = ${id}`;
  await markAgentStarted(project, id);
  expect(await find(id)).toMatchObject({ startedAt: '2026-11-21T08:00:00.000Z' });
  const unknown = uuidv7();
  await markAgentStarted(project, unknown);
  expect(await requestAgentStop(project, unknown, 'requested')).toBe(false);
  expect(await updateAgentState(project, unknown, { ...nothing, status: 'Running' })).toBe(false);
});
