import { randomBytes } from 'node:crypto';
import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { deleteAccount } from './account-changes.ts';
import {
  acceptInvitation,
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitation,
  findOpenInvitation,
  insertInvitation,
  listInvitations,
} from './invitations.ts';
import { deleteMembership, insertMembership, updateRole } from './membership-changes.ts';
import { findMembership } from './memberships.ts';

const GREATEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const EMAIL = 'ben@example.org';

interface Wish {
  readonly email?: string;
  readonly role?: ProjectRole;
  readonly createdBy?: string;
  readonly limit?: number;
}

async function invite(
  project: TestProject,
  { email = EMAIL, role = 'MEMBER', createdBy = project.userId, limit = 100 }: Wish = {},
) {
  const secretHash = randomBytes(32);
  const row = { id: uuidv7(), projectId: project.projectId, email, role, secretHash, createdBy };
  return { stored: await insertInvitation(project, row, limit), secretHash };
}

async function accept(project: TestProject, secretHash: Buffer, userId: string) {
  return await acceptInvitation(project, secretHash, { membershipId: uuidv7(), userId });
}

async function open({ projectId, userId, sql }: TestProject) {
  const page = { projectId, userId, before: GREATEST, limit: 10 };
  return (await listInvitations({ sql }, page))?.invitations.map(({ email }) => email);
}

async function audited({ sql, projectId }: TestProject) {
  return await sql`
    select action, actor, target, detail from audit_events
    where project_id = ${projectId} and action like 'invitation.%' order by id`;
}

test('an open invitation ends when a person with its address is added otherwise', async ({
  project,
}) => {
  const { projectId } = project;
  const ben = await project.newUser();
  const email = `${ben}@example.com`;
  const { secretHash } = await invite(project, { email, role: 'ADMIN' });
  const other = await invite(project);
  await insertMembership(project, { id: uuidv7(), userId: ben, projectId, role: 'MEMBER' });
  expect(await accept(project, secretHash, ben)).toBeUndefined();
  expect(await findMembership(project, { userId: ben, projectId })).toMatchObject({
    memberRole: 'MEMBER',
  });
  expect(await findOpenInvitation(project, other.secretHash)).toBeDefined();
});

test('an invitation lets one person in, once, as a member of its role, and both are audited', async ({
  project,
}) => {
  const { projectId, userId: owner } = project;
  const { stored, secretHash } = await invite(project, { role: 'ADMIN' });
  expect(stored).toMatchObject({ email: EMAIL, role: 'ADMIN', createdBy: owner });
  expect(await findOpenInvitation(project, secretHash)).toMatchObject({
    projectId,
    projectName: 'test',
    email: EMAIL,
    role: 'ADMIN',
  });
  const [guests, id] = [
    [await project.newUser(), await project.newUser()],
    typeof stored === 'object' ? stored.id : '',
  ];
  const results = await Promise.all(guests.map((guest) => accept(project, secretHash, guest)));
  const index = results.findIndex((result) => result !== undefined);
  const guest = guests[index] ?? '';
  expect(results).toEqual(
    index === 0
      ? [{ projectId, role: 'ADMIN' }, undefined]
      : [undefined, { projectId, role: 'ADMIN' }],
  );
  expect(await findMembership(project, { projectId, userId: guest })).toEqual({
    memberRole: 'ADMIN',
  });
  expect(await findOpenInvitation(project, secretHash)).toBeUndefined();
  const detail = JSON.stringify({ role: 'ADMIN', email: EMAIL }).replaceAll(/(?<=[:,])/g, ' ');
  expect(await audited(project)).toEqual([
    { action: 'invitation.created', actor: owner, target: id, detail },
    { action: 'invitation.accepted', actor: guest, target: id, detail },
  ]);
});

test('another invitation for the same address replaces the link', async ({ project }) => {
  const first = await invite(project, { role: 'OWNER' });
  const second = await invite(project);
  expect(await open(project)).toEqual([EMAIL]);
  expect(await findOpenInvitation(project, first.secretHash)).toBeUndefined();
  expect(await findOpenInvitation(project, second.secretHash)).toMatchObject({ role: 'MEMBER' });
});

test('a member stays one, with the higher of both roles', async ({ project }) => {
  const { projectId } = project;
  const cases = [
    ['MEMBER', 'ADMIN', 'ADMIN'],
    ['ADMIN', 'MEMBER', 'ADMIN'],
    ['MEMBER', 'MEMBER', 'MEMBER'],
    ['ADMIN', 'OWNER', 'OWNER'],
  ] as const;
  for (const [before, invited, after] of cases) {
    const { secretHash } = await invite(project, { role: invited });
    const { userId } = await project.newMember(before);
    expect(await accept(project, secretHash, userId)).toEqual({ projectId, role: after });
    expect(await findMembership(project, { projectId, userId })).toEqual({ memberRole: after });
    expect(await findOpenInvitation(project, secretHash)).toBeUndefined();
  }
});

test('a former member is let in again, and into the rooms', async ({ project }) => {
  const { projectId, userId: by } = project;
  const { userId } = await project.newMember();
  await deleteMembership(project, { projectId, userId, seenRole: 'MEMBER', by });
  const { secretHash } = await invite(project);
  expect(await accept(project, secretHash, userId)).toEqual({ projectId, role: 'MEMBER' });
  expect(await project.sql`select from removed_members`).toHaveLength(0);
});

test.for([
  ['MEMBER', 'MEMBER'],
  ['ADMIN', 'ADMIN'],
  ['ADMIN', 'OWNER'],
] as const)(
  'an invitation ends when its creator loses the right to it: as %s, of the role %s',
  async ([left, role], { project }) => {
    const { projectId, userId: by } = project;
    const { userId: createdBy } = await project.newMember('OWNER');
    const { secretHash } = await invite(project, { createdBy, role });
    await updateRole(project, { projectId, userId: createdBy, seenRole: 'OWNER', by }, left);
    expect(await findOpenInvitation(project, secretHash)).toBeUndefined();
    expect(await open(project)).toEqual([]);
    const guest = await project.newUser();
    expect(await accept(project, secretHash, guest)).toBeUndefined();
    expect(await findMembership(project, { projectId, userId: guest })).toBeUndefined();
  },
);

test('an invitation whose creator loses the right while it is accepted lets nobody in', async ({
  project,
}) => {
  const { projectId, sql, url } = project;
  const { userId: createdBy } = await project.newMember('ADMIN');
  const { secretHash } = await invite(project, { createdBy });
  const guest = await project.newUser();
  const waiting = async () =>
    await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  let accepted: Promise<unknown> = Promise.resolve();
  const lock = await holdLocks(url, async (holder) => {
    await holder`select from projects where id = ${projectId} for no key update`;
    accepted = accept(project, secretHash, guest);
    await expect.poll(waiting).toHaveLength(1);
    await holder`update memberships set role = 'MEMBER' where user_id = ${createdBy}`;
  });
  await lock[Symbol.asyncDispose]();
  expect(await accepted).toBeUndefined();
  expect(await findMembership(project, { projectId, userId: guest })).toBeUndefined();
});

test('an ADMIN keeps an invitation of a MEMBER', async ({ project }) => {
  const { userId: createdBy } = await project.newMember('ADMIN');
  const { secretHash } = await invite(project, { createdBy });
  expect(await findOpenInvitation(project, secretHash)).toBeDefined();
});

test('with a member go the invitations that they made, and those to their address, and do not come back', async ({
  project,
}) => {
  const { projectId, userId: by, sql } = project;
  const { userId } = await project.newMember('ADMIN');
  await invite(project, { createdBy: userId, email: 'friend@example.org' });
  await invite(project, { email: 'other@example.org' });
  await invite(project, { email: 'late@example.org' });
  await sql`update users set email = 'late@example.org' where id = ${userId}`;
  await deleteMembership(project, { projectId, userId, seenRole: 'ADMIN', by });
  await insertMembership(project, { id: uuidv7(), projectId, userId, role: 'ADMIN' });
  expect(await open(project)).toEqual(['other@example.org']);
});

test('the deletion of an account takes its invitations along, and that of a project all of them', async ({
  project,
}) => {
  const { userId } = await project.newMember('ADMIN');
  const { secretHash } = await invite(project, { createdBy: userId });
  const other = await invite(project, { email: 'other@example.org' });
  await deleteAccount(project, userId);
  expect(await project.sql`select email from invitations`).toEqual([
    { email: 'other@example.org' },
  ]);
  expect(await findOpenInvitation(project, secretHash)).toBeUndefined();
  await markProjectDeleted(project, project.projectId);
  expect(await findOpenInvitation(project, other.secretHash)).toBeUndefined();
  expect((await invite(project)).stored).toBe('refused');
});

test('a deleted account accepts nothing, and the invitation stays', async ({ project }) => {
  const { secretHash } = await invite(project);
  const userId = await project.newUser();
  await deleteAccount(project, userId);
  expect(await accept(project, secretHash, userId)).toBeUndefined();
  expect(await findOpenInvitation(project, secretHash)).toBeDefined();
});

test('refused: the address of a member, and more open invitations than the limit', async ({
  project,
}) => {
  const { userId } = await project.newMember();
  await project.sql`update users set email = 'in@example.org' where id = ${userId}`;
  expect((await invite(project, { email: 'in@example.org' })).stored).toBe('already_member');
  const emails = Array.from({ length: 5 }, (_, number) => `${number}@example.org`);
  const stored = await Promise.all(
    emails.map(async (email) => (await invite(project, { email, limit: 2 })).stored),
  );
  expect(stored.filter((one) => one === 'refused')).toHaveLength(3);
  const [email = ''] = (await open(project)) ?? [];
  expect((await invite(project, { email, limit: 2 })).stored).toMatchObject({ email });
  await project.sql`update invitations set expires_at = now() - interval '1 s' where email = ${email}`;
  expect((await invite(project, { email: 'new@example.org', limit: 2 })).stored).toMatchObject({
    email: 'new@example.org',
  });
});

test('an expired invitation opens nothing, is not listed, and is deleted', async ({ project }) => {
  const { secretHash } = await invite(project);
  const young = await invite(project, { email: 'young@example.org' });
  const [times] = await project.sql`
    select extract(epoch from expires_at - created_at) / 86400 as days from invitations`;
  expect(Number(times?.['days'])).toBe(7);
  await project.sql`update invitations set expires_at = now() - interval '1 s' where email = ${EMAIL}`;
  expect(await findOpenInvitation(project, secretHash)).toBeUndefined();
  expect(await accept(project, secretHash, await project.newUser())).toBeUndefined();
  expect(await open(project)).toEqual(['young@example.org']);
  expect(await deleteExpiredInvitations(project)).toBe(1);
  expect(await findOpenInvitation(project, young.secretHash)).toBeDefined();
});

test('a member finds an invitation and their role, a stranger does not; it is deleted once, and audited', async ({
  project,
}) => {
  const { stored } = await invite(project);
  const id = typeof stored === 'object' ? stored.id : '';
  const { userId } = await project.newMember();
  expect(await findInvitation(project, { id, userId })).toEqual({
    memberRole: 'MEMBER',
    projectId: project.projectId,
  });
  const stranger = await project.newUser();
  expect(await findInvitation(project, { id, userId: stranger })).toBeUndefined();
  expect(await deleteInvitation(project, { id, projectId: project.projectId }, userId)).toBe(true);
  expect(await deleteInvitation(project, { id, projectId: project.projectId }, userId)).toBe(false);
  expect(await audited(project)).toMatchObject([
    { action: 'invitation.created' },
    { action: 'invitation.deleted', actor: userId, target: id },
  ]);
});
