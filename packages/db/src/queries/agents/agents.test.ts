import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareAgentQueries } from './agents.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function newAgent(sessionId: string, createdBy: string, role = 'echo-agent') {
  const config = { echoMode: 'text' };
  const part = { planId: null, envTemplateId: null, config, restartPolicy: 'on-failure' } as const;
  return { id: uuidv7(), sessionId, createdBy, role, ...part };
}

test('an agent is found only by members of its project', async ({ project }) => {
  const agents = prepareAgentQueries(project);
  const agent = newAgent(await project.newSession(), project.userId);
  await agents.insertAgent(agent);
  expect(await agents.findAgent({ id: agent.id, userId: project.userId })).toEqual({
    ...agent,
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
  expect(await agents.findAgent({ id: agent.id, userId: await project.newUser() })).toBeUndefined();
  expect(await agents.findAgent({ id: uuidv7(), userId: project.userId })).toBeUndefined();
  expect([
    await agents.countLiveAgents(project.projectId),
    await agents.countLiveAgents(uuidv7()),
  ]).toEqual([
    { all: 1, ofAccount: 1 },
    { all: 1, ofAccount: 0 },
  ]);
});

test('a status moves only forward from Starting over Running to Stopped, and a Stopped agent is not live', async ({
  project,
}) => {
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

test('agents of a session come a page at a time, the newest first, and those of other sessions never', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const ids: string[] = [];
  for (const role of ['a', 'b', 'c', 'd', 'e']) {
    ids.unshift(await insertAgent(project, { sessionId, role }));
    await insertAgent(project, { sessionId: other, role });
  }
  const read: string[] = [];
  for (let before: string = MAX; ; ) {
    const page = await agents.listAgents({ sessionId, before, limit: 2 });
    read.push(...page.map(({ id }) => id));
    if (page.length < 2) break;
    before = page.at(-1)?.id ?? '';
  }
  expect(read).toEqual(ids);
});

test('an agent of a deleted session is found by nobody, but the reconciler still sees it', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const id = await insertAgent(project);
  await project.sql`update sessions set deleted_at = now()`;
  expect(await agents.findAgent({ id, userId: project.userId })).toBeUndefined();
  expect(await agents.listLiveAgents()).toMatchObject([{ id, sessionStatus: 'ACTIVE' }]);
});

test('a role is live in its session alone, until its agent has stopped', async ({ project }) => {
  const agents = prepareAgentQueries(project);
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const id = await insertAgent(project, { sessionId });
  const isLive = (session: string, role: string) =>
    agents.hasLiveAgent({ sessionId: session, role });
  expect([
    await isLive(sessionId, 'echo-agent'),
    await isLive(sessionId, 'light-agent'),
    await isLive(other, 'echo-agent'),
  ]).toEqual([true, false, false]);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await agents.updateAgentState(id, end);
  expect(await isLive(sessionId, 'echo-agent')).toBe(false);
});

test('a list of sessions gets the live agents of just these sessions, the oldest first', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const [first = '', second = '', other = ''] = await project.newSessions(3);
  const echo = await insertAgent(project, { sessionId: first });
  const stopped = await insertAgent(project, { sessionId: second });
  const light = await insertAgent(project, { sessionId: first, role: 'light-agent' });
  const later = await insertAgent(project, { sessionId: second, role: 'core-agent' });
  await insertAgent(project, { sessionId: other });
  const end = { reason: 'completed', detail: null, exitCode: 0 };
  await agents.updateAgentState(stopped, { status: 'Stopped', ...end });
  await agents.updateAgentState(light, {
    status: 'Running',
    reason: null,
    detail: null,
    exitCode: null,
  });
  expect(await agents.listLiveAgentsOf([second, first, uuidv7()])).toEqual([
    { id: echo, sessionId: first, role: 'echo-agent', status: 'Starting' },
    { id: light, sessionId: first, role: 'light-agent', status: 'Running' },
    { id: later, sessionId: second, role: 'core-agent', status: 'Starting' },
  ]);
  expect(await agents.listLiveAgentsOf([])).toEqual([]);
});

test('the reconciler lists the live agents of all projects, the oldest first, with the times of their start', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const other = await project.newProject();
  const elsewhere = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await project.sessions.insertSession({ ...elsewhere, name: 'elsewhere' });
  const ids = [
    await insertAgent(project),
    await insertAgent(project, { sessionId: elsewhere.id }),
    await insertAgent(project),
  ];
  await project.sql`
    update agents set scheduled_at = '2026-11-21T08:00:01Z', program_started_at = '2026-11-21T08:00:02.5Z'
    where id = ${ids[1] ?? ''}`;
  await project.sessions.closeSession(elsewhere.id, 'user');
  expect(await agents.listLiveAgents()).toMatchObject([
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
