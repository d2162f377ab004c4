import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { prepareAgentQueries } from './agents.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function newAgent(sessionId: string, createdBy: string, role = 'echo-agent') {
  const part = { planId: null, envTemplateId: null, config: { echoMode: 'text' } };
  return { id: uuidv7(), sessionId, createdBy, role, ...part };
}

test('an agent is found only by members of its project', async () => {
  await using project = await createTestProject();
  const agents = prepareAgentQueries(project);
  const agent = newAgent(await project.newSession(), project.userId);
  await agents.insertAgent(agent);
  expect(await agents.findAgent({ id: agent.id, userId: project.userId })).toEqual({
    ...agent,
    projectId: project.projectId,
    memberRole: 'OWNER',
    desired: 'running',
    status: 'Starting',
    reason: null,
    detail: null,
    exitCode: null,
    createdAt: ISO,
    startedAt: null,
    runningAt: null,
    stoppedAt: null,
  });
  expect(await agents.findAgent({ id: agent.id, userId: await project.newUser() })).toBeUndefined();
  expect(await agents.findAgent({ id: uuidv7(), userId: project.userId })).toBeUndefined();
  expect([
    await agents.countLiveAgents(project.projectId),
    await agents.countLiveAgents(uuidv7()),
  ]).toEqual([1, 0]);
});

test('a status moves only forward from Starting over Running to Stopped, and a Stopped agent is not live', async () => {
  await using project = await createTestProject();
  const agents = prepareAgentQueries(project);
  const { id, ...agent } = newAgent(await project.newSession(), project.userId);
  await agents.insertAgent({ id, ...agent });
  const state = { reason: null, detail: null, exitCode: null };
  await agents.markAgentStarted(id);
  const [started] = await agents.listLiveAgents();
  await agents.markAgentStarted(id);
  expect(started).toMatchObject({
    id,
    startedAt: ISO,
    projectId: project.projectId,
    sessionStatus: 'ACTIVE',
  });
  expect(await agents.updateAgentState(id, { status: 'Running', ...state })).toBe(true);
  expect(await agents.updateAgentState(id, { status: 'Starting', ...state })).toBe(false);
  expect(await agents.requestAgentStop(id, 'requested')).toBe(true);
  expect(await agents.requestAgentStop(id, 'session_closed')).toBe(false);
  // The reconciler may have read the row before the request: its null must not delete the reason.
  const end = { ...state, status: 'Stopped', exitCode: 0 } as const;
  expect(await agents.updateAgentState(id, end)).toBe(true);
  expect(await agents.updateAgentState(id, { ...end, reason: 'crashed', exitCode: 1 })).toBe(false);
  expect(await agents.findAgent({ id, userId: project.userId })).toMatchObject({
    desired: 'stopped',
    status: 'Stopped',
    reason: 'requested',
    exitCode: 0,
    startedAt: started?.startedAt,
    runningAt: ISO,
    stoppedAt: ISO,
  });
  expect(await agents.listLiveAgents()).toEqual([]);
});
