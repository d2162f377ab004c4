import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { prepareDeletionQueries } from '../sessions/deletions.ts';
import { findAccount } from './account-usage.ts';
import { type MembershipQueries, prepareMembershipQueries } from './memberships.ts';

async function rolesOf({ sql, projectId }: TestProject): Promise<ProjectRole[]> {
  const rows = await sql<{ role: ProjectRole }[]>`
    select role from memberships where project_id = ${projectId} order by id`;
  return rows.map(({ role }) => role);
}

test('a membership is stored once, and not in a project that is deleted', async ({ project }) => {
  const memberships = prepareMembershipQueries(project);
  const userId = await project.newUser();
  const membership = { id: uuidv7(), userId, projectId: project.projectId, role: 'ADMIN' } as const;
  expect(await memberships.insertMembership(membership)).toEqual(membership);
  const again = { ...membership, id: uuidv7(), role: 'OWNER' } as const;
  expect(await memberships.insertMembership(again)).toBeUndefined();
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
  await prepareDeletionQueries(project).markProjectDeleted(project.projectId);
  expect(await memberships.insertMembership(membership)).toBeUndefined();
});

test.each<[string, ProjectRole, ProjectRole, ProjectRole]>([
  ['a member becomes an admin', 'MEMBER', 'MEMBER', 'ADMIN'],
  ['an admin becomes an owner', 'ADMIN', 'ADMIN', 'OWNER'],
  ['one of two owners becomes a member', 'OWNER', 'OWNER', 'MEMBER'],
  ['an owner stays an owner', 'OWNER', 'OWNER', 'OWNER'],
])('a role that is as it was seen changes: %s', async (_, role, seenRole, next) => {
  await using project = await createTestProject();
  const memberships = prepareMembershipQueries(project);
  const { userId } = await project.newMember(role);
  const seen = { projectId: project.projectId, userId, seenRole, by: project.userId };
  expect(await memberships.updateRole(seen, next)).toBe('done');
  expect(await rolesOf(project)).toEqual(['OWNER', next]);
});

test('a change decided for another role is refused, and so is the change of one who is no member', async ({
  project,
}) => {
  const memberships = prepareMembershipQueries(project);
  const { projectId, userId: by } = project;
  const { userId } = await project.newMember('ADMIN');
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  expect(await memberships.updateRole(seen, 'OWNER')).toBe('changed');
  expect(await memberships.deleteMembership(seen)).toBe('changed');
  const stranger = { ...seen, userId: await project.newUser() };
  expect(await memberships.updateRole(stranger, 'OWNER')).toBe('changed');
  expect(await memberships.deleteMembership(stranger)).toBe('changed');
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
  expect(await project.sql`select 1 from removed_members`).toEqual([]);
});

test('the last owner can neither leave nor become less, even beside admins and owners of other projects', async ({
  project,
}) => {
  const memberships = prepareMembershipQueries(project);
  await project.newMember('ADMIN');
  await project.newProject();
  const { projectId, userId } = project;
  const seen = { projectId, userId, seenRole: 'OWNER', by: userId } as const;
  expect(await memberships.updateRole(seen, 'ADMIN')).toBe('last_owner');
  expect(await memberships.deleteMembership(seen)).toBe('last_owner');
  expect(await memberships.updateRole(seen, 'OWNER')).toBe('done');
  expect(await rolesOf(project)).toEqual(['OWNER', 'ADMIN']);
});

const LEAVING: Readonly<
  Record<string, (queries: MembershipQueries, projectId: string, userId: string) => Promise<string>>
> = {
  'delete their memberships': (queries, projectId, userId) =>
    queries.deleteMembership({ projectId, userId, seenRole: 'OWNER', by: userId }),
  'become members': (queries, projectId, userId) =>
    queries.updateRole({ projectId, userId, seenRole: 'OWNER', by: userId }, 'MEMBER'),
};

test.each(Object.entries(LEAVING))(
  'eight owners %s at the same moment: the account of the project stays an owner',
  async (_, leave) => {
    await using project = await createTestProject();
    const memberships = prepareMembershipQueries(project);
    const owners = [project.userId];
    for (let count = 1; count < 8; count += 1) {
      owners.push((await project.newMember('OWNER')).userId);
    }
    const outcomes = await Promise.all(
      owners.map((userId) => leave(memberships, project.projectId, userId)),
    );
    expect(outcomes[0]).toMatch(/^(?:project_account|last_owner)$/);
    expect(outcomes.slice(1)).toEqual(Array(7).fill('done'));
    expect(await findAccount(project.sql, project.projectId)).toBe(project.userId);
    expect((await rolesOf(project)).filter((role) => role === 'OWNER')).toHaveLength(1);
  },
);

test('one who is removed twice at the same moment is removed once, and barred', async ({
  project,
}) => {
  const memberships = prepareMembershipQueries(project);
  const { userId } = await project.newMember();
  const { projectId, userId: by } = project;
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  const outcomes = await Promise.all([1, 2].map(() => memberships.deleteMembership(seen)));
  expect(outcomes.toSorted()).toEqual(['changed', 'done']);
  expect(await project.sql`select user_id from removed_members`).toEqual([{ user_id: userId }]);
});

test('an account that makes others owners cannot leave its project to them, nor step down', async ({
  project,
}) => {
  const memberships = prepareMembershipQueries(project);
  const { projectId, userId, sql } = project;
  const older = await project.newMember('MEMBER');
  await sql`update memberships set created_at = '2000-01-01' where id = ${older.id}`;
  const promoted = { projectId, userId: older.userId, seenRole: 'MEMBER', by: userId } as const;
  expect(await memberships.updateRole(promoted, 'OWNER')).toBe('done');
  await project.newMember('OWNER');
  for (const leave of Object.values(LEAVING)) {
    expect(await leave(memberships, projectId, userId)).toBe('project_account');
  }
  expect(await findAccount(sql, projectId)).toBe(userId);
  expect(await rolesOf(project)).toEqual(['OWNER', 'OWNER', 'OWNER']);
});

test('whichever owner removes the account of a project, or changes its role, takes the project over', async ({
  project,
}) => {
  const memberships = prepareMembershipQueries(project);
  const { projectId, userId: ana, sql } = project;
  const { userId: ben } = await project.newMember('OWNER');
  const { userId: cleo } = await project.newMember('OWNER');
  const of = (userId: string, by: string) =>
    ({ projectId, userId, seenRole: 'OWNER', by }) as const;
  expect(await memberships.updateRole(of(ana, cleo), 'ADMIN')).toBe('done');
  expect(await findAccount(sql, projectId)).toBe(cleo);
  const again = { ...of(ana, ben), seenRole: 'ADMIN' } as const;
  expect(await memberships.updateRole(again, 'OWNER')).toBe('done');
  expect(await findAccount(sql, projectId)).toBe(cleo);
  expect(await memberships.deleteMembership(of(cleo, ana))).toBe('done');
  expect(await findAccount(sql, projectId)).toBe(ana);
  expect(await memberships.deleteMembership(of(ben, ben))).toBe('done');
  expect(await memberships.deleteMembership(of(ana, ana))).toBe('last_owner');
});

test('nobody takes a project over who is no owner any more', async ({ project }) => {
  const memberships = prepareMembershipQueries(project);
  const { projectId, userId, sql } = project;
  const { userId: by } = await project.newMember('ADMIN');
  await project.newMember('OWNER');
  const seen = { projectId, userId, seenRole: 'OWNER', by } as const;
  expect(await memberships.updateRole(seen, 'MEMBER')).toBe('changed');
  expect(await memberships.deleteMembership(seen)).toBe('changed');
  expect(await findAccount(sql, projectId)).toBe(userId);
});
