import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { markAgentStarted, requestAgentStop, updateAgentState } from './agent-changes.ts';
import { insertAgent } from './agent-insertion.ts';
import {
  countLiveAgents,
  findAgent,
  hasLiveAgent,
  listAgents,
  listLiveAgents,
  listLiveAgentsOf,
  listLiveWorkloads,
} from './agents.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function newAgent(sessionId: string, createdBy: string, role = 'echo-agent') {
  const config = { echoMode: 'text' };
  const part = { planId: null, envTemplateId: null, config, restartPolicy: 'on-failure' } as const;
  return { id: uuidv7(), sessionId, createdBy, role, ...part };
}

test('an agent is found only by members of its project', async ({ project }) => {
  const agent = newAgent(await project.newSession(), project.userId);
  await insertAgent(project, agent);
  expect(await findAgent(project, { id: agent.id, userId: project.userId })).toEqual({
    ...agent,
    agentTemplateId: null,
    agentTemplateVersion: null,
    variables: {},
    projectId: project.projectId,
    memberRole: 'OWNER',
    restarts: 0,
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
  expect(
    await findAgent(project, { id: agent.id, userId: await project.newUser() }),
  ).toBeUndefined();
  expect(await findAgent(project, { id: uuidv7(), userId: project.userId })).toBeUndefined();
  expect([
    await countLiveAgents(project, project.projectId),
    await countLiveAgents(project, uuidv7()),
  ]).toEqual([
    { all: 1, ofAccount: 1 },
    { all: 1, ofAccount: 0 },
  ]);
});

test('a status moves only forward from Starting over Running to Stopped, and a Stopped agent is not live', async ({
  project,
}) => {
  const { id, ...agent } = newAgent(await project.newSession(), project.userId);
  await insertAgent(project, { id, ...agent });
  const state = { reason: null, detail: null, exitCode: null };
  await markAgentStarted(project, id);
  const [started] = await listLiveAgents(project);
  await markAgentStarted(project, id);
  expect(started).toMatchObject({
    id,
    startedAt: ISO,
    projectId: project.projectId,
    sessionStatus: 'ACTIVE',
  });
  expect(await updateAgentState(project, id, { status: 'Running', ...state })).toBe(true);
  expect(await updateAgentState(project, id, { status: 'Starting', ...state })).toBe(false);
  expect(await requestAgentStop(project, id, 'requested')).toBe(true);
  expect(await requestAgentStop(project, id, 'session_closed')).toBe(false);
  // The reconciler may have read the row before the request: the null that it stores must not delete the reason.
  const end = { ...state, status: 'Stopped', exitCode: 0 } as const;
  expect(await updateAgentState(project, id, end)).toBe(true);
  expect(await updateAgentState(project, id, { ...end, reason: 'crashed', exitCode: 1 })).toBe(
    false,
  );
  expect(await findAgent(project, { id, userId: project.userId })).toMatchObject({
    desired: 'stopped',
    status: 'Stopped',
    reason: 'requested',
    exitCode: 0,
    startedAt: started?.startedAt,
    runningAt: ISO,
    stoppedAt: ISO,
  });
  expect(await listLiveAgents(project)).toEqual([]);
  expect(await listLiveWorkloads(project)).toEqual([]);
});

test('agents of a session come a page at a time, the newest first, and those of other sessions never', async ({
  project,
}) => {
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const ids: string[] = [];
  for (const role of ['a', 'b', 'c', 'd', 'e']) {
    ids.unshift(await addAgent(project, { sessionId, role }));
    await addAgent(project, { sessionId: other, role });
  }
  const read: string[] = [];
  for (let before: string = MAX; ; ) {
    const page = await listAgents(project, { sessionId, before, limit: 2 });
    read.push(...page.map(({ id }) => id));
    if (page.length < 2) break;
    before = page.at(-1)?.id ?? '';
  }
  expect(read).toEqual(ids);
});

test('an agent of a deleted session is found by nobody, but the reconciler still sees it', async ({
  project,
}) => {
  const id = await addAgent(project);
  await project.sql`update sessions set deleted_at = now()`;
  expect(await findAgent(project, { id, userId: project.userId })).toBeUndefined();
  expect(await listLiveAgents(project)).toMatchObject([{ id, sessionStatus: 'ACTIVE' }]);
  expect(await listLiveWorkloads(project)).toEqual([{ id, restarts: 0 }]);
});

test('a role is live in its session alone, until its agent has stopped', async ({ project }) => {
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const id = await addAgent(project, { sessionId });
  const isLive = (session: string, role: string) =>
    hasLiveAgent(project, { sessionId: session, role, agentTemplateId: null });
  expect([
    await isLive(sessionId, 'echo-agent'),
    await isLive(sessionId, 'light-agent'),
    await isLive(other, 'echo-agent'),
  ]).toEqual([true, false, false]);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await updateAgentState(project, id, end);
  expect(await isLive(sessionId, 'echo-agent')).toBe(false);
});

test('a list of sessions gets the live agents of just these sessions, the oldest first', async ({
  project,
}) => {
  const [first = '', second = '', other = ''] = await project.newSessions(3);
  const echo = await addAgent(project, { sessionId: first });
  const stopped = await addAgent(project, { sessionId: second });
  const light = await addAgent(project, { sessionId: first, role: 'light-agent' });
  const later = await addAgent(project, { sessionId: second, role: 'core-agent' });
  await addAgent(project, { sessionId: other });
  const end = { reason: 'completed', detail: null, exitCode: 0 };
  await updateAgentState(project, stopped, { status: 'Stopped', ...end });
  await updateAgentState(project, light, {
    status: 'Running',
    reason: null,
    detail: null,
    exitCode: null,
  });
  expect(await listLiveAgentsOf(project, [second, first, uuidv7()])).toEqual([
    { id: echo, sessionId: first, role: 'echo-agent', status: 'Starting' },
    { id: light, sessionId: first, role: 'light-agent', status: 'Running' },
    { id: later, sessionId: second, role: 'core-agent', status: 'Starting' },
  ]);
  expect(await listLiveAgentsOf(project, [])).toEqual([]);
});

test('the reconciler lists the live agents of all projects, the oldest first, with the times of their start', async ({
  project,
}) => {
  const other = await project.newProject();
  const elsewhere = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...elsewhere, name: 'elsewhere' });
  const ids = [
    await addAgent(project),
    await addAgent(project, { sessionId: elsewhere.id }),
    await addAgent(project),
  ];
  await project.sql`
    update agents set scheduled_at = '2026-11-21T08:00:01Z', program_started_at = '2026-11-21T08:00:02.5Z'
    where id = ${ids[1] ?? ''}`;
  await closeSession(project, elsewhere.id, 'user');
  expect(await listLiveAgents(project)).toMatchObject([
    { id: ids[0], projectId: project.projectId, scheduledAt: null, programStartedAt: null },
    {
      id: ids[1],
      projectId: other.projectId,
      sessionStatus: 'CLOSED',
      desired: 'stopped',
      scheduledAt: '2026-11-21T08:00:01.000Z',
      programStartedAt: '2026-11-21T08:00:02.500Z',
    },
    { id: ids[2], projectId: project.projectId, sessionStatus: 'ACTIVE' },
  ]);
});
