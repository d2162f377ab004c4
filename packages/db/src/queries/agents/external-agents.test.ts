import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { test } from '../../../testing/project-test.ts';
import { requestAgentStop, updateAgentState } from './agent-changes.ts';
import { findAgentTimes } from './agent-timeline.ts';
import { listLiveAgents } from './agents.ts';
import { noteAgentLeft } from './external-agents.ts';

const state = { reason: null, detail: null, exitCode: null };

const isRecent = (ms: unknown) => Number(ms) >= 0 && Number(ms) < 60_000;

test('an agent that left is Starting again without a restart, and its row tells when it left and came back', async ({
  project,
}) => {
  const id = await addAgent(project, { role: 'external' });
  const row = async () => (await listLiveAgents(project)).find((agent) => agent.id === id);
  const ends = async () => (await findAgentTimes(project, id, 'agent'))?.ends;
  expect(await noteAgentLeft(project, id, 0)).toBe(false);
  expect(await row()).toMatchObject({ joinedAt: null });
  await updateAgentState(project, id, { status: 'Running', ...state });
  expect(await ends()).toEqual([]);
  const joinedMsAgo = async () => {
    const { nowMs = 0, joinedAt = null } = (await row()) ?? {};
    return joinedAt === null ? null : nowMs - joinedAt;
  };
  expect(await joinedMsAgo()).toSatisfy(isRecent);
  await using notifications = await openNotifications(project.url);
  expect(await noteAgentLeft(project, id, 20_000)).toBe(true);
  expect(await notifications.take()).toEqual([`agent_changed ${id}`]);
  expect(await joinedMsAgo()).toBeNull();
  const left = await row();
  expect(left).toMatchObject({ status: 'Starting', restarts: 0, restartInMs: null });
  expect(left?.endsMsAgo).toEqual([expect.toSatisfy((ms: number) => ms >= 20_000 && ms < 80_000)]);
  const endedAt = left?.missedSince;
  expect(await ends()).toMatchObject([
    { reason: 'left', endedAt, restartedAt: null, joinedAt: null },
  ]);
  expect(await noteAgentLeft(project, id, 0)).toBe(false);

  await updateAgentState(project, id, { status: 'Running', ...state, restarts: 0 });
  expect(await ends()).toMatchObject([{ reason: 'left', joinedAt: expect.any(String) }]);
  expect(await joinedMsAgo()).toSatisfy(isRecent);
  for (let count = 0; count < 25; count += 1) {
    await noteAgentLeft(project, id, 0);
    await updateAgentState(project, id, { status: 'Running', ...state });
  }
  expect(await ends()).toHaveLength(20);
});

test('an agent that was asked to stop does not become Starting again', async ({ project }) => {
  const id = await addAgent(project, { role: 'external' });
  await updateAgentState(project, id, { status: 'Running', ...state });
  await requestAgentStop(project, id, 'requested');
  expect(await noteAgentLeft(project, id, 0)).toBe(false);
});
