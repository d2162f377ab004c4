import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent, newAgent } from '../../../testing/agents.ts';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { insertAgent } from '../agents/agent-insertion.ts';
import { listLiveAgents } from '../agents/agents.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { insertEnvTemplate, updateEnvTemplate } from '../templates/env-template-changes.ts';
import { insertPlanTemplate, updatePlanTemplate } from '../templates/plan-templates.ts';
import { findUsageOfAccount } from './account-usage.ts';
import { deleteMembership, insertMembership, updateRole } from './membership-changes.ts';
import { insertProject } from './projects.ts';

/** Stores a session in a project, for its owner unless `createdBy` names a member. */
async function open(
  project: TestProject,
  { projectId, userId }: { readonly projectId: string; readonly userId: string },
  capacity: number,
): Promise<string> {
  const session = { id: uuidv7(), projectId, name: 'a talk', createdBy: userId };
  const outcome = await insertSession(project, session, capacity);
  return typeof outcome === 'string' ? outcome : outcome.former;
}

const planOf = ({ projectId }: { readonly projectId: string }, text = 'Ask.') => ({
  id: uuidv7(),
  projectId,
  name: 'Plan',
  description: null,
  steps: [{ id: 'one', text }],
});

const envOf = ({ projectId }: { readonly projectId: string }, bytes = 100) =>
  newEnvTemplate(projectId, { ciphertext: Buffer.alloc(bytes) });

/** How to make one more of each kind, in one of the given projects of an account whose limit is 5. */
const MAKERS: Readonly<
  Record<
    string,
    (project: TestProject, of: { projectId: string; userId: string }) => Promise<string>
  >
> = {
  projects: (project, { userId: ownerId }) =>
    insertProject(
      project,
      { id: uuidv7(), name: 'p', membershipId: uuidv7(), ownerId },
      // Three projects exist already.
      { projects: 8 },
    ),
  sessions: (project, of) => open(project, of, 5),
  agents: async (project, of) => {
    const session = { id: uuidv7(), projectId: of.projectId, name: 's', createdBy: of.userId };
    await insertSession(project, session);
    return await insertAgent(project, newAgent(of, session.id), { agents: 5, allAgents: 100 });
  },
  'environment templates': (project, of) => insertEnvTemplate(project, envOf(of), { templates: 5 }),
  'plan templates': (project, of) => insertPlanTemplate(project, planOf(of), { templates: 5 }),
  'bytes of templates': (project, of) =>
    insertEnvTemplate(project, envOf(of), { templateBytes: 599 }),
};

test.each(Object.entries(MAKERS))(
  'of 24 %s that are stored at once in three projects of an account, exactly 5 are stored',
  async (_, make) => {
    await using project = await createTestProject();
    const { userId } = project;
    const projects = [project, await project.newProject(userId), await project.newProject(userId)];
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (__, index) => make(project, projects[index % 3] ?? project)),
    );
    const refused = outcomes.filter((outcome) => /_capacity$|_bytes$/.test(outcome));
    expect([outcomes.length - refused.length, new Set(refused).size]).toEqual([5, 1]);
    expect(await make(project, await project.newProject())).toMatch(/^(?:inserted|done)$/);
  },
);

test('of all agents that are stored at once by eight accounts, exactly as many are stored as the service runs', async ({
  project,
}) => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const of = await project.newProject();
      const session = { id: uuidv7(), projectId: of.projectId, name: 's', createdBy: of.userId };
      await insertSession(project, session);
      const limits = { agents: 20, allAgents: 3 };
      return await insertAgent(project, newAgent(of, session.id), limits);
    }),
  );
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(3);
  expect(outcomes.filter((outcome) => outcome === 'service_agent_capacity')).toHaveLength(5);
  expect(await listLiveAgents(project)).toHaveLength(3);
});

test('an account that adds an owner gets no more by it, and the owner loses nothing', async ({
  project,
}) => {
  await project.newSessions(2);
  const ben = await project.newProject();
  await insertMembership(project, {
    id: uuidv7(),
    userId: ben.userId,
    projectId: project.projectId,
    role: 'OWNER',
  });
  const inFirst = { projectId: project.projectId, userId: ben.userId };
  expect(await open(project, inFirst, 2)).toBe('session_capacity');
  expect(await open(project, project, 2)).toBe('session_capacity');
  expect([await open(project, ben, 2), await open(project, ben, 2)]).toEqual([
    'inserted',
    'inserted',
  ]);
  expect(await open(project, ben, 2)).toBe('session_capacity');
});

test('an account that closes a session, or deletes a project, may have another; nothing else makes room', async ({
  project,
}) => {
  const [first = ''] = await project.newSessions(2);
  expect(await open(project, project, 2)).toBe('session_capacity');
  await closeSession(project, first, 'user');
  expect(await open(project, project, 2)).toBe('inserted');
  expect(await open(project, project, 2)).toBe('session_capacity');
  const another = await project.newProject(project.userId);
  expect(await open(project, another, 2)).toBe('session_capacity');
  await markProjectDeleted(project, project.projectId);
  expect(await open(project, another, 2)).toBe('inserted');
});

const LIMITS = { projects: 2, sessions: 2, agents: 1, templates: 1, templateBytes: 1000 };

/** Fills an account to one limit. */
const FILLERS: Readonly<
  Record<
    string,
    (project: TestProject, of: { projectId: string; userId: string }) => Promise<unknown>
  >
> = {
  project_capacity: (project, { userId }) => project.newProject(userId),
  session_capacity: async (project, of) => {
    await open(project, of, 0);
    await open(project, of, 0);
  },
  agent_capacity: async (project, of) => {
    const id = uuidv7();
    const session = { id, projectId: of.projectId, name: 's', createdBy: of.userId };
    await insertSession(project, session);
    await addAgent(project, { sessionId: id });
  },
  template_capacity: (project, of) => insertPlanTemplate(project, planOf(of)),
  template_bytes: (project, of) => insertPlanTemplate(project, planOf(of, 'x'.repeat(990))),
};

test.each(Object.entries(FILLERS))(
  'an owner whose account would then be beyond its limits takes no project over: %s',
  async (code, fill) => {
    await using project = await createTestProject();
    const { projectId, userId, sql } = project;
    const limits = code === 'template_bytes' ? { ...LIMITS, templates: 0 } : LIMITS;
    const ben = await project.newProject();
    const key = { projectId, userId: ben.userId };
    await insertMembership(project, { id: uuidv7(), ...key, role: 'OWNER' });
    // Both accounts have as much as one account may have.
    await fill(project, ben);
    if (code !== 'project_capacity') await fill(project, project);
    const before = await findUsageOfAccount(project, userId);
    const seen = { projectId, userId, seenRole: 'OWNER', by: ben.userId } as const;
    expect(await deleteMembership(project, seen, limits)).toBe(code);
    expect(await updateRole(project, seen, 'MEMBER', limits)).toBe(code);
    expect(await findUsageOfAccount(project, userId)).toEqual(before);
    expect(await sql`select from removed_members`).toHaveLength(0);
    expect(await deleteMembership(project, seen)).toBe('done');
  },
);

test('an account at its limit of 5 sessions gets no more of them by handing projects to a newcomer, who keeps all 5', async ({
  project,
}) => {
  const { userId } = project;
  const limits = { sessions: 5 };
  const ben = await project.newProject();
  for (let count = 0; count < 5; count += 1)
    expect(await open(project, project, 5)).toBe('inserted');
  const key = { projectId: project.projectId, userId: ben.userId };
  await insertMembership(project, { id: uuidv7(), ...key, role: 'OWNER' });
  const seen = { ...project, seenRole: 'OWNER', by: userId } as const;
  expect(await deleteMembership(project, seen, limits)).toBe('project_account');
  expect(await updateRole(project, seen, 'MEMBER', limits)).toBe('project_account');
  const another = await project.newProject(userId);
  expect(await open(project, another, 5)).toBe('session_capacity');
  for (let count = 0; count < 5; count += 1) expect(await open(project, ben, 5)).toBe('inserted');
});

test('an account that has more than its limits may still take over a project that adds nothing to these', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const ben = await project.newProject();
  for (let count = 0; count < 3; count += 1) await open(project, ben, 0);
  await insertMembership(project, {
    id: uuidv7(),
    projectId,
    userId: ben.userId,
    role: 'OWNER',
  });
  const seen = { projectId, userId, seenRole: 'OWNER', by: ben.userId } as const;
  expect(await deleteMembership(project, seen, LIMITS)).toBe('done');
});

test('a project that is taken over while its next account opens sessions brings that account to its limit at most', async ({
  project,
}) => {
  const ben = await project.newProject();
  for (let round = 0; round < 8; round += 1) {
    const given = await project.newProject(project.userId);
    await open(project, given, 6);
    const key = { projectId: given.projectId, userId: ben.userId };
    await insertMembership(project, { id: uuidv7(), ...key, role: 'OWNER' });
    const seen = { ...given, seenRole: 'OWNER', by: ben.userId } as const;
    await Promise.all([
      deleteMembership(project, seen, { sessions: 6 }),
      open(project, ben, 6),
      open(project, given, 6),
    ]);
  }
  expect((await findUsageOfAccount(project, ben.userId)).sessions).toBe(6);
  expect((await findUsageOfAccount(project, project.userId)).sessions).toBeLessThanOrEqual(6);
});

test('a template beyond the bytes of its account is stored nowhere; what is beyond them already stays, and may shrink', async ({
  project,
}) => {
  const { userId } = project;
  const [plan, env] = [planOf(project, 'x'.repeat(400)), envOf(project, 400)];
  const limits = { templateBytes: 1000 };
  expect(await insertPlanTemplate(project, plan, limits)).toBe('done');
  expect(await insertEnvTemplate(project, env, limits)).toBe('inserted');
  const before = await findUsageOfAccount(project, userId);
  const larger = { ...envOf(project, 700), id: env.id, version: 1 };
  const steps = planOf(project, 'x'.repeat(700)).steps;
  expect(await updateEnvTemplate(project, larger, limits)).toBe('template_bytes');
  expect(await updatePlanTemplate(project, { ...plan, steps }, limits)).toBe('template_bytes');
  const longer = { ...plan, description: 'x'.repeat(300) };
  expect(await updatePlanTemplate(project, longer, limits)).toBe('template_bytes');
  expect(await insertPlanTemplate(project, planOf(project, 'x'.repeat(300)), limits)).toBe(
    'template_bytes',
  );
  expect(await findUsageOfAccount(project, userId)).toEqual(before);
  const lowered = { templates: 1, templateBytes: 500 };
  const shorter = { ...plan, steps: planOf(project, 'x'.repeat(350)).steps };
  expect(await updatePlanTemplate(project, shorter, lowered)).toBe('updated');
  expect(await updatePlanTemplate(project, { ...shorter, name: 'New' }, lowered)).toBe('updated');
  expect(await updatePlanTemplate(project, plan, lowered)).toBe('template_bytes');
});
