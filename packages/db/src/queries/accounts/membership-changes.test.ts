import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { findAccount } from './account-usage.ts';
import { deleteMembership, insertMembership, updateRole } from './membership-changes.ts';

async function rolesOf({ sql, projectId }: TestProject): Promise<ProjectRole[]> {
  const rows = await sql<{ role: ProjectRole }[]>`
    select role from memberships where project_id = ${projectId} order by id`;
  return rows.map(({ role }) => role);
}

test('a membership is stored once, and not in a project that is deleted', async ({ project }) => {
  const userId = await project.newUser();
  const membership = { id: uuidv7(), userId, projectId: project.projectId, role: 'ADMIN' } as const;
  expect(await insertMembership(project, membership)).toEqual(membership);
  const again = { ...membership, id: uuidv7(), role: 'OWNER' } as const;
  expect(await insertMembership(project, again)).toBeUndefined();
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
  await markProjectDeleted(project, project.projectId);
  expect(await insertMembership(project, membership)).toBeUndefined();
});

test.each<[string, ProjectRole, ProjectRole, ProjectRole]>([
  ['a member becomes an admin', 'MEMBER', 'MEMBER', 'ADMIN'],
  ['an admin becomes an owner', 'ADMIN', 'ADMIN', 'OWNER'],
  ['one of two owners becomes a member', 'OWNER', 'OWNER', 'MEMBER'],
  ['an owner stays an owner', 'OWNER', 'OWNER', 'OWNER'],
])('a role that is as it was seen changes: %s', async (_, role, seenRole, next) => {
  await using project = await createTestProject();
  const { userId } = await project.newMember(role);
  const seen = { projectId: project.projectId, userId, seenRole, by: project.userId };
  expect(await updateRole(project, seen, next)).toBe('done');
  expect(await rolesOf(project)).toEqual(['OWNER', next]);
});

test('a change decided for another role is refused, and so is the change of one who is no member', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const { userId } = await project.newMember('ADMIN');
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  expect(await updateRole(project, seen, 'OWNER')).toBe('changed');
  expect(await deleteMembership(project, seen)).toBe('changed');
  const stranger = { ...seen, userId: await project.newUser() };
  expect(await updateRole(project, stranger, 'OWNER')).toBe('changed');
  expect(await deleteMembership(project, stranger)).toBe('changed');
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
  expect(await project.sql`select 1 from removed_members`).toEqual([]);
});

test('the last owner can neither leave nor become less, even beside admins and owners of other projects', async ({
  project,
}) => {
  await project.newMember('ADMIN');
  await project.newProject();
  const { projectId, userId } = project;
  const seen = { projectId, userId, seenRole: 'OWNER', by: userId } as const;
  expect(await updateRole(project, seen, 'ADMIN')).toBe('last_owner');
  expect(await deleteMembership(project, seen)).toBe('last_owner');
  expect(await updateRole(project, seen, 'OWNER')).toBe('done');
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
});

const LEAVING: Readonly<
  Record<string, (project: DatabaseAccess, projectId: string, userId: string) => Promise<string>>
> = {
  'delete their memberships': (project, projectId, userId) =>
    deleteMembership(project, { projectId, userId, seenRole: 'OWNER', by: userId }),
  'become members': (project, projectId, userId) =>
    updateRole(project, { projectId, userId, seenRole: 'OWNER', by: userId }, 'MEMBER'),
};

test.each(Object.entries(LEAVING))(
  'eight owners %s at the same moment: the account of the project stays an owner',
  async (_, leave) => {
    await using project = await createTestProject();
    const owners = [project.userId];
    for (let count = 1; count < 8; count += 1) {
      owners.push((await project.newMember('OWNER')).userId);
    }
    const outcomes = await Promise.all(
      owners.map((userId) => leave(project, project.projectId, userId)),
    );
    expect(outcomes[0]).toMatch(/^(?:project_account|last_owner)$/);
    expect(outcomes.slice(1)).toEqual(Array(7).fill('done'));
    expect(await findAccount(project, project.projectId)).toBe(project.userId);
    expect((await rolesOf(project)).filter((role) => role === 'OWNER')).toHaveLength(1);
  },
);

test('one who is removed twice at the same moment is removed once, and barred', async ({
  project,
}) => {
  const { userId } = await project.newMember();
  const { projectId, userId: by } = project;
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  const outcomes = await Promise.all([1, 2].map(() => deleteMembership(project, seen)));
  expect(outcomes.toSorted()).toEqual(['changed', 'done']);
  expect(await project.sql`select user_id from removed_members`).toEqual([{ user_id: userId }]);
});

test('with a member their external agents stop, and no other agent', async ({ project }) => {
  const { projectId, userId: by } = project;
  const [ben, cleo] = [await project.newMember(), await project.newMember()];
  const external = { role: 'external', createdBy: ben.userId };
  const ids = await Promise.all([
    addAgent(project, external),
    addAgent(project, { createdBy: ben.userId }),
    addAgent(project, { role: 'external', createdBy: cleo.userId }),
  ]);
  await using notifications = await openNotifications(project.url);
  const seen = { projectId, userId: ben.userId, seenRole: 'MEMBER', by } as const;
  expect(await deleteMembership(project, seen)).toBe('done');
  expect(await notifications.take()).toContain(`agent_changed ${ids[0]}`);
  const rows =
    await project.sql`select id, desired, reason from agents where id in ${project.sql(ids)}`;
  const desired = new Map(rows.map(({ id, ...row }) => [id, row]));
  const running = { desired: 'running', reason: null };
  expect(ids.map((id) => desired.get(id))).toEqual([
    { desired: 'stopped', reason: 'requested' },
    running,
    running,
  ]);
  const audited = await project.sql`
    select actor, target from audit_events where action = 'agent.stopped'`;
  expect(audited).toEqual([{ actor: by, target: ids[0] }]);
});

test('an account that makes others owners cannot leave its project to them, nor step down', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const older = await project.newMember('MEMBER');
  await sql`update memberships set created_at = '2000-01-01' where id = ${older.id}`;
  const promoted = { projectId, userId: older.userId, seenRole: 'MEMBER', by: userId } as const;
  expect(await updateRole(project, promoted, 'OWNER')).toBe('done');
  await project.newMember('OWNER');
  for (const leave of Object.values(LEAVING)) {
    expect(await leave(project, projectId, userId)).toBe('project_account');
  }
  expect(await findAccount(project, projectId)).toBe(userId);
  expect(await rolesOf(project)).toEqual(['OWNER', 'OWNER', 'OWNER']);
});

test('whichever owner removes the account of a project, or changes its role, takes the project over', async ({
  project,
}) => {
  const { projectId, userId: ana } = project;
  const { userId: ben } = await project.newMember('OWNER');
  const { userId: cleo } = await project.newMember('OWNER');
  await project.sql`update memberships set created_at = '2000-01-01'`;
  const of = (userId: string, by: string) =>
    ({ projectId, userId, seenRole: 'OWNER', by }) as const;
  expect(await updateRole(project, of(ana, cleo), 'ADMIN')).toBe('done');
  expect(await findAccount(project, projectId)).toBe(cleo);
  const again = { ...of(ana, ben), seenRole: 'ADMIN' } as const;
  expect(await updateRole(project, again, 'OWNER')).toBe('done');
  expect(await findAccount(project, projectId)).toBe(cleo);
  expect(await deleteMembership(project, of(cleo, ana))).toBe('done');
  expect(await findAccount(project, projectId)).toBe(ana);
  expect(await deleteMembership(project, of(ben, ben))).toBe('done');
  expect(await deleteMembership(project, of(ana, ana))).toBe('last_owner');
});

test('nobody takes a project over who is no owner any more', async ({ project }) => {
  const { projectId, userId } = project;
  const { userId: by } = await project.newMember('ADMIN');
  await project.newMember('OWNER');
  const seen = { projectId, userId, seenRole: 'OWNER', by } as const;
  expect(await updateRole(project, seen, 'MEMBER')).toBe('changed');
  expect(await deleteMembership(project, seen)).toBe('changed');
  expect(await findAccount(project, projectId)).toBe(userId);
});
