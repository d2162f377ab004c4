import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newAgent as agentOf, insertAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { preparePlanTemplateQueries } from '../templates/plan-templates.ts';
import { prepareAgentQueries } from './agents.ts';

const LAST = MAX;

function newAgent(sessionId: string, userId: string, role = 'echo-agent') {
  return agentOf({ userId }, sessionId, { role, config: { echoMode: 'text' } });
}

test('one agent of a role runs in a session: the second is refused until the first has stopped', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const sessionId = await project.newSession();
  const [first, second] = [
    newAgent(sessionId, project.userId),
    newAgent(sessionId, project.userId),
  ];
  const both = await Promise.all([agents.insertAgent(first), agents.insertAgent(second)]);
  expect(both.toSorted()).toEqual(['agent_already_running', 'inserted']);
  const [running] = await agents.listAgents({ sessionId, before: LAST, limit: 9 });
  const end = { status: 'Stopped', reason: 'completed', detail: null, exitCode: 0 } as const;
  await agents.updateAgentState(running?.id ?? '', end);
  const third = newAgent(sessionId, project.userId);
  expect(await agents.insertAgent(third)).toBe('inserted');
  const newest = await agents.listAgents({ sessionId, before: LAST, limit: 1 });
  expect(newest.map(({ id }) => id)).toEqual([third.id]);
  const older = await agents.listAgents({ sessionId, before: third.id, limit: 9 });
  expect(older.map(({ id }) => id)).toEqual([running?.id]);
});

test('an account gets exactly as many agents as its capacity, however many are inserted at once', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const ids = await Promise.all(Array.from({ length: 40 }, () => project.newSession()));
  const insert = async (sessionId: string) =>
    await agents.insertAgent(newAgent(sessionId, project.userId), { agents: 7 });
  const outcomes = await Promise.all(ids.map(insert));
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(7);
  expect(outcomes.filter((outcome) => outcome === 'agent_capacity')).toHaveLength(33);
  expect(await agents.countLiveAgents(project.projectId)).toEqual({ all: 7, ofAccount: 7 });
});

test('a stored agent is Starting with its configuration, and the reconciler is notified', async ({
  project,
}) => {
  await using notifications = await openNotifications(project.url);
  const config = { greeting: '"Hello", \\ {} ü', depth: { list: [1, null, true] } };
  const id = await insertAgent(project, { config });
  expect(await notifications.take()).toContain(`agent_changed ${id}`);
  const agents = prepareAgentQueries(project);
  expect(await agents.findAgent({ id, userId: project.userId })).toMatchObject({
    status: 'Starting',
    desired: 'running',
    config,
  });
});

test.each([
  ['CLOSED', `status = 'CLOSED', close_reason = 'user', closed_at = now()`],
  ['deleted', 'deleted_at = now()'],
])('a session that is %s takes no agent, and no listener is notified', async (_, change) => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  await project.sql.unsafe(`update sessions set ${change}`);
  await using notifications = await openNotifications(project.url);
  const agents = prepareAgentQueries(project);
  for (const limits of [undefined, { agents: 9 }]) {
    const outcome = await agents.insertAgent(newAgent(sessionId, project.userId), limits);
    expect(outcome).toBe('session_closed');
  }
  expect(await notifications.take()).toEqual([]);
  expect(await agents.listLiveAgents()).toEqual([]);
});

test('an unknown session takes no agent', async ({ project }) => {
  const agents = prepareAgentQueries(project);
  expect(await agents.insertAgent(newAgent(uuidv7(), project.userId), { agents: 9 })).toBe(
    'session_closed',
  );
});

test('a template that is gone refuses the agent, and nothing of it stays', async ({ project }) => {
  const agents = prepareAgentQueries(project);
  const sessionId = await project.newSession();
  for (const part of [{ planId: uuidv7() }, { envTemplateId: uuidv7() }]) {
    const agent = agentOf(project, sessionId, part);
    expect(await agents.insertAgent(agent)).toBe('template_gone');
    expect(await agents.insertAgent(agent, { agents: 9 })).toBe('template_gone');
  }
  expect(await agents.countLiveAgents(project.projectId)).toEqual({ all: 0, ofAccount: 0 });
});

test('a plan template that is deleted later leaves the agent without it', async ({ project }) => {
  const plans = preparePlanTemplateQueries(project);
  const { projectId, userId } = project;
  const planId = uuidv7();
  const steps = [{ id: 'one' }];
  await plans.insertPlanTemplate({ id: planId, projectId, name: 'x', description: null, steps });
  const id = await insertAgent(project, { planId });
  const agents = prepareAgentQueries(project);
  expect(await agents.findAgent({ id, userId })).toMatchObject({ planId });
  await plans.deletePlanTemplate(planId);
  expect(await agents.findAgent({ id, userId })).toMatchObject({ planId: null });
});

test('the capacity of an account counts its live agents alone: not the stopped, not those of other accounts', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const stopped = await insertAgent(project);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await agents.updateAgentState(stopped, end);
  const other = await project.newProject();
  const elsewhere = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await project.sessions.insertSession({ ...elsewhere, name: 'elsewhere' });
  await insertAgent(project, { sessionId: elsewhere.id });
  const insert = async () =>
    await agents.insertAgent(newAgent(await project.newSession(), project.userId), { agents: 2 });
  expect([await insert(), await insert(), await insert()]).toEqual([
    'inserted',
    'inserted',
    'agent_capacity',
  ]);
  expect(await agents.countLiveAgents(project.projectId)).toEqual({ all: 3, ofAccount: 2 });
  expect(await agents.countLiveAgents(other.projectId)).toEqual({ all: 3, ofAccount: 1 });
});

test('a close of the session at the same moment: the agent is refused, or asked to stop', async ({
  project,
}) => {
  const agents = prepareAgentQueries(project);
  const ids = await project.newSessions(20);
  await Promise.all(
    ids.flatMap((sessionId) => [
      agents.insertAgent(newAgent(sessionId, project.userId)),
      project.sessions.closeSession(sessionId, 'user'),
    ]),
  );
  const live = await agents.listLiveAgents();
  expect(live.filter(({ desired }) => desired === 'running')).toEqual([]);
});
