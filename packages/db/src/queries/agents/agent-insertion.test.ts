import { holdLocks } from '@session/testing';
import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { addAgent, newAgent as agentOf } from '../../../testing/agents.ts';
import { addApiKey, newApiKey } from '../../../testing/api-keys.ts';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { rotateApiKey } from '../accounts/api-key-changes.ts';
import {
  deleteAgentTemplate,
  insertAgentTemplate,
} from '../agent-templates/agent-template-changes.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { deleteEnvTemplate, insertEnvTemplate } from '../templates/env-template-changes.ts';
import { deletePlanTemplate, insertPlanTemplate } from '../templates/plan-templates.ts';
import { updateAgentState } from './agent-changes.ts';
import { insertAgent } from './agent-insertion.ts';
import { countLiveAgents, findAgent, listAgents, listLiveAgents } from './agents.ts';

const LAST = MAX;

function newAgent(sessionId: string, userId: string, role = 'echo-agent') {
  return agentOf({ userId }, sessionId, { role, config: { echoMode: 'text' } });
}

test('one agent of a role runs in a session: the second is refused until the first has stopped', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [first, second] = [
    newAgent(sessionId, project.userId),
    newAgent(sessionId, project.userId),
  ];
  const both = await Promise.all([insertAgent(project, first), insertAgent(project, second)]);
  expect(both.toSorted()).toEqual(['agent_already_running', 'inserted']);
  const [running] = await listAgents(project, { sessionId, before: LAST, limit: 9 });
  const end = { status: 'Stopped', reason: 'completed', detail: null, exitCode: 0 } as const;
  await updateAgentState(project, running?.id ?? '', end);
  const third = newAgent(sessionId, project.userId);
  expect(await insertAgent(project, third)).toBe('inserted');
  const newest = await listAgents(project, { sessionId, before: LAST, limit: 1 });
  expect(newest.map(({ id }) => id)).toEqual([third.id]);
  const older = await listAgents(project, { sessionId, before: third.id, limit: 9 });
  expect(older.map(({ id }) => id)).toEqual([running?.id]);
});

test('agents of one role with different templates, and one without, run side by side: one of each', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const templates = [newAgentTemplate(project), newAgentTemplate(project)];
  for (const template of templates) await insertAgentTemplate(project, template);
  const kinds = [undefined, ...templates.map(({ id }) => ({ id, version: 1, values: {} }))];
  const twice = [...kinds, ...kinds].map((agentTemplate) =>
    agentOf(project, sessionId, { role: 'light-agent', agentTemplate }),
  );
  const outcomes = await Promise.all(twice.map((agent) => insertAgent(project, agent)));
  expect(outcomes.toSorted()).toEqual([
    ...Array(3).fill('agent_already_running'),
    ...Array(3).fill('inserted'),
  ]);
  const listed = await listAgents(project, { sessionId, before: LAST, limit: 9 });
  expect(new Set(listed.map(({ role }) => role))).toEqual(new Set(['light-agent']));
  expect(new Set(listed.map(({ agentTemplateId }) => agentTemplateId))).toEqual(
    new Set([null, ...templates.map(({ id }) => id)]),
  );
});

test('an account gets exactly as many agents as its capacity, however many are inserted at once', async ({
  project,
}) => {
  const ids = await Promise.all(Array.from({ length: 40 }, () => project.newSession()));
  const insert = async (sessionId: string) =>
    await insertAgent(project, newAgent(sessionId, project.userId), { agents: 7 });
  const outcomes = await Promise.all(ids.map(insert));
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(7);
  expect(outcomes.filter((outcome) => outcome === 'agent_capacity')).toHaveLength(33);
  expect(await countLiveAgents(project, project.projectId)).toEqual({ all: 7, ofAccount: 7 });
});

test('a stored agent is Starting with its configuration, and the reconciler is notified', async ({
  project,
}) => {
  await using notifications = await openNotifications(project.url);
  const config = { greeting: '"Hello", \\ {} ü', depth: { list: [1, null, true] } };
  const id = await addAgent(project, { config });
  expect(await notifications.take()).toContain(`agent_changed ${id}`);
  expect(await findAgent(project, { id, userId: project.userId })).toMatchObject({
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
  for (const limits of [undefined, { agents: 9 }, { allAgents: 9 }]) {
    const outcome = await insertAgent(project, newAgent(sessionId, project.userId), limits);
    expect(outcome).toBe('session_closed');
  }
  expect(await notifications.take()).toEqual([]);
  expect(await listLiveAgents(project)).toEqual([]);
});

test('an unknown session takes no agent', async ({ project }) => {
  expect(await insertAgent(project, newAgent(uuidv7(), project.userId), { agents: 9 })).toBe(
    'session_closed',
  );
});

test('a template that is gone refuses the agent, and nothing of it stays', async ({ project }) => {
  const sessionId = await project.newSession();
  const agentTemplate = { id: uuidv7(), version: 1, values: {} };
  for (const part of [{ planId: uuidv7() }, { envTemplateId: uuidv7() }, { agentTemplate }]) {
    const agent = agentOf(project, sessionId, part);
    expect(await insertAgent(project, agent)).toBe('template_gone');
    expect(await insertAgent(project, agent, { agents: 9 })).toBe('template_gone');
  }
  expect(await countLiveAgents(project, project.projectId)).toEqual({ all: 0, ofAccount: 0 });
});

test('the deletion of templates writes to no agent that used them, and leaves the agents without them', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const [plan, env, agentTemplate] = [
    { id: uuidv7(), projectId, name: 'x', description: null, steps: [{ id: 'one' }] },
    newEnvTemplate(projectId),
    newAgentTemplate(project),
  ];
  await insertPlanTemplate(project, plan);
  await insertEnvTemplate(project, env);
  await insertAgentTemplate(project, agentTemplate);
  const template = { id: agentTemplate.id, version: 1, values: {} };
  const templates = { planId: plan.id, envTemplateId: env.id };
  const id = await addAgent(project, { ...templates, agentTemplate: template });
  const shown = { ...templates, agentTemplateId: template.id };
  expect(await findAgent(project, { id, userId })).toMatchObject(shown);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await updateAgentState(project, id, end);
  const stored = () => project.sql`select ctid, xmin from agents where id = ${id}`;
  const before = await stored();
  await deletePlanTemplate(project, plan, userId);
  await deleteEnvTemplate(project, env, userId);
  expect(await deleteAgentTemplate(project, agentTemplate, userId)).toBe('deleted');
  expect(await stored()).toEqual(before);
  const gone = { planId: null, envTemplateId: null, agentTemplateId: null };
  expect(await findAgent(project, { id, userId })).toMatchObject(gone);
});

test('the capacity of an account counts its live agents alone: not the stopped, not those of other accounts', async ({
  project,
}) => {
  const stopped = await addAgent(project);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await updateAgentState(project, stopped, end);
  const other = await project.newProject();
  const elsewhere = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...elsewhere, name: 'elsewhere' });
  await addAgent(project, { sessionId: elsewhere.id });
  const insert = async () =>
    await insertAgent(project, newAgent(await project.newSession(), project.userId), { agents: 2 });
  expect([await insert(), await insert(), await insert()]).toEqual([
    'inserted',
    'inserted',
    'agent_capacity',
  ]);
  expect(await countLiveAgents(project, project.projectId)).toEqual({ all: 3, ofAccount: 2 });
  expect(await countLiveAgents(project, other.projectId)).toEqual({ all: 3, ofAccount: 1 });
});

test('a close of the session at the same moment: the agent is refused, or asked to stop', async ({
  project,
}) => {
  const ids = await project.newSessions(20);
  await Promise.all(
    ids.flatMap((sessionId) => [
      insertAgent(project, newAgent(sessionId, project.userId)),
      closeSession(project, sessionId, 'user'),
    ]),
  );
  const live = await listLiveAgents(project);
  expect(live.filter(({ desired }) => desired === 'running')).toEqual([]);
});

test('an external agent of a key is refused once a rotation has ended the secrets of the key', async ({
  project,
}) => {
  const key = await addApiKey(project);
  const insert = async (keyVersion: number) => {
    const external = { role: 'external', createdBy: key.id, keyVersion };
    return await insertAgent(project, agentOf(project, await project.newSession(), external));
  };
  await rotateApiKey(project, key, newApiKey(project), 24);
  expect(await insert(0)).toBe('inserted');
  await rotateApiKey(project, key, newApiKey(project), 0);
  expect(await insert(0)).toBe('key_ended');
  expect(await insert(1)).toBe('inserted');
});

test('an external agent that is inserted during such a rotation waits for it, and is refused', async ({
  project,
}) => {
  const key = await addApiKey(project);
  const external = { role: 'external', createdBy: key.id, keyVersion: 0 };
  const agent = agentOf(project, await project.newSession(), external);
  const rotated = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const rotation = inTransaction(project, async (transaction) => {
    await rotateApiKey(transaction, key, newApiKey(project), 0);
    rotated.resolve();
    await end.promise;
  });
  await rotated.promise;
  const inserted = insertAgent({ sql: project.fill }, agent);
  const waiting = () => project.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  end.resolve();
  await rotation;
  expect(await inserted).toBe('key_ended');
  expect(await listLiveAgents(project)).toEqual([]);
});

test('a start that waits for its session holds up no start of another account', async ({
  project,
}) => {
  const { sql, url, userId } = project;
  const limits = { agents: 9, allAgents: 9 };
  const sessionId = await project.newSession();
  const other = await project.newProject();
  const elsewhere = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...elsewhere, name: 'elsewhere' });
  await using lock = await holdLocks(
    url,
    (holder) => holder`select from sessions where id = ${sessionId} for no key update`,
  );
  const started = insertAgent(project, newAgent(sessionId, userId), limits);
  const waiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  expect(await insertAgent(project, newAgent(elsewhere.id, other.userId), limits)).toBe('inserted');
  await lock[Symbol.asyncDispose]();
  expect(await started).toBe('inserted');
});
