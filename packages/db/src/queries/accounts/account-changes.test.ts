import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { deleteAccount, updateAccount } from './account-changes.ts';
import { insertMembership } from './membership-changes.ts';
import { insertProject } from './projects.ts';
import { findUser, findUserByEmail, insertUser, rememberLoginNetwork } from './users.ts';

const change = { name: undefined, email: undefined, loginNetwork: 'next', passwordHash: '' };

test('what is not given stays; another address replaces the known networks, which were hashed with the former one', async ({
  project,
}) => {
  const userId = await project.newUser();
  const { email = '' } = (await findUser(project, userId)) ?? {};
  await rememberLoginNetwork(project, userId, 'former');
  const networks = async (address: string) =>
    (await findUserByEmail(project, address))?.loginNetworks;
  expect(await updateAccount(project, { ...change, userId, name: 'Ana' })).toBe('done');
  expect(await updateAccount(project, { ...change, userId, email })).toBe('done');
  expect(await findUser(project, userId)).toMatchObject({ name: 'Ana', email });
  expect(await networks(email)).toEqual(['former']);
  expect(await updateAccount(project, { ...change, userId, email: `a.${email}` })).toBe('done');
  expect(await networks(`a.${email}`)).toEqual(['next']);
});

test('the address stays when the password was changed meanwhile', async ({ project }) => {
  const userId = await project.newUser();
  const email = `${uuidv7()}@example.org`;
  const late = { ...change, userId, email, passwordHash: 'former' };
  expect(await updateAccount(project, late)).toBe('unchanged');
  expect(await findUserByEmail(project, email)).toBeUndefined();
  expect(await updateAccount(project, { ...late, email: undefined, name: 'Ana' })).toBe('done');
});

test('of two accounts that take one address at once, one gets it', async ({ project }) => {
  const users = [await project.newUser(), await project.newUser()];
  const email = `${uuidv7()}@example.org`;
  const outcomes = await Promise.all(
    users.map((userId) => updateAccount(project, { ...change, userId, email })),
  );
  expect(new Set(outcomes)).toEqual(new Set(['done', 'email_taken']));
});

test('a deletion ends tokens, bars from all projects, frees the address, and cannot be undone by a change', async ({
  project,
}) => {
  const { userId } = await project.newMember('ADMIN');
  const other = await project.newProject();
  const membership = { id: uuidv7(), userId, role: 'MEMBER', projectId: other.projectId } as const;
  await insertMembership(project, membership);
  const { email = '' } = (await findUser(project, userId)) ?? {};
  const agentId = await addAgent(project, { role: 'external', createdBy: userId });
  expect(await deleteAccount(project, userId)).toEqual({ outcome: 'done', version: 1 });
  const [agent] = await project.sql`select desired from agents where id = ${agentId}`;
  expect(agent).toEqual({ desired: 'stopped' });
  const barred = await project.sql`
    select project_id as id from removed_members where user_id = ${userId}`;
  expect(new Set(barred.map(({ id }) => id))).toEqual(
    new Set([project.projectId, other.projectId]),
  );
  await updateAccount(project, { ...change, userId, name: 'Ana', email });
  expect(await findUser(project, userId)).toMatchObject({ name: 'Deleted user' });
  const next = { id: uuidv7(), email, name: 'Next', passwordHash: '' };
  expect(await insertUser(project, next)).toMatchObject({ email });
  expect(await deleteAccount(project, userId)).toEqual({ outcome: 'changed' });
});

test('a refused deletion changes nothing, and names up to ten projects', async ({ project }) => {
  const owner = await project.newUser();
  for (let count = 0; count < 12; count += 1) await project.newProject(owner);
  const refused = await deleteAccount(project, owner);
  expect(refused).toMatchObject({ outcome: 'last_owner', projects: { length: 10 } });
  const memberships = await project.sql`select from memberships where user_id = ${owner}`;
  expect(memberships).toHaveLength(12);
  expect(await findUser(project, owner)).toMatchObject({ name: 'Someone' });
});

test('a project and a membership that wait for a deletion find no account', async ({ project }) => {
  const userId = await project.newUser();
  const waiting = () => project.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const membership = { id: uuidv7(), userId, role: 'OWNER', projectId: project.projectId } as const;
  const made = { id: uuidv7(), name: 'orphan', membershipId: uuidv7(), ownerId: userId };
  // The deletion holds the row of the user, and waits for the row of its ended tokens.
  const lock = await holdLocks(
    project.url,
    async (sql) => await sql`lock table ended_tokens in access exclusive mode`,
  );
  const deletion = deleteAccount(project, userId);
  await expect.poll(waiting).toHaveLength(1);
  const [added, created] = [insertMembership(project, membership), insertProject(project, made)];
  await expect.poll(waiting).toHaveLength(3);
  await lock[Symbol.asyncDispose]();
  expect(await deletion).toMatchObject({ outcome: 'done' });
  expect(await added).toBeUndefined();
  await created;
  expect(await project.sql`select from projects where id = ${made.id}`).toHaveLength(0);
  expect(await project.sql`select from memberships where user_id = ${userId}`).toHaveLength(0);
});
