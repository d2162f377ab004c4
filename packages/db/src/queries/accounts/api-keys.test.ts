import { MAX } from 'uuid';
import { expect } from 'vitest';
import { addApiKey, newApiKey, SECRET_HASH } from '../../../testing/api-keys.ts';
import { test } from '../../../testing/project-test.ts';
import { rotateApiKey } from './api-key-changes.ts';
import { findApiKey, findSecret, listApiKeys, noteSecretUses } from './api-keys.ts';
import { findMembership, listMembers } from './memberships.ts';
import { findProject } from './projects.ts';

test('a key is a member that is not among the members: its project alone is open to it', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await addApiKey(project, { role: 'ADMIN' });
  const elsewhere = await project.newProject();
  expect(await findMembership(project, { userId: key.id, projectId })).toEqual({
    memberRole: 'ADMIN',
  });
  const foreign = { userId: key.id, projectId: elsewhere.projectId };
  expect(await findMembership(project, foreign)).toBeUndefined();
  const page = { userId, projectId, after: '00000000-0000-0000-0000-000000000000', limit: 9 };
  expect((await listMembers(project, page))?.members.map((member) => member.userId)).toEqual([
    userId,
  ]);
  const found = await findProject(project, { id: projectId, userId: key.id });
  expect(found?.memberRole).toBe('ADMIN');
  expect(found?.memberships.map((member) => member.userId)).toEqual([userId]);
});

test('keys are listed a page at a time, the newest first, to members of the project alone', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const keys = [
    await addApiKey(project),
    await addApiKey(project),
    await addApiKey(project),
  ].toReversed();
  const first = await listApiKeys(project, { projectId, userId, before: MAX, limit: 2 });
  expect(first).toEqual({
    memberRole: 'OWNER',
    keys: keys.slice(0, 2).map(({ id, secretId }) => ({
      id,
      secretId,
      projectId,
      name: 'Backend',
      role: 'MEMBER',
      createdBy: userId,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: null,
      lastUsedAt: null,
    })),
  });
  const before = keys[1]?.id ?? '';
  const second = await listApiKeys(project, { projectId, userId, before, limit: 2 });
  expect(second?.keys.map(({ id }) => id)).toEqual([keys[2]?.id]);
  const stranger = await project.newUser();
  const foreign = { projectId, userId: stranger, before: MAX, limit: 2 };
  expect(await listApiKeys(project, foreign)).toBeUndefined();
  expect(await findApiKey(project, { id: before, userId: stranger })).toBeUndefined();
  expect(await findApiKey(project, { id: userId, userId })).toBeUndefined();
  expect((await findApiKey(project, { id: before, userId }))?.key.id).toBe(before);
});

test('a secret is found until it expires', async ({ project }) => {
  const key = await addApiKey(project);
  expect(await findSecret(project, key.secretId)).toEqual({
    userId: key.id,
    secretHash: SECRET_HASH,
    tokenVersion: 0,
    expiresAt: null,
  });
  await project.sql`update api_keys set expires_at = now() + interval '1 min'`;
  expect(await findSecret(project, key.secretId)).toBeDefined();
  await project.sql`update api_keys set expires_at = now() - interval '1 s'`;
  expect(await findSecret(project, key.secretId)).toBeUndefined();
});

test('the last use of a key is that of any of its secrets', async ({ project }) => {
  const { userId } = project;
  const key = await addApiKey(project);
  await rotateApiKey(project, key, newApiKey(project), 24);
  await noteSecretUses(project, [key.secretId, 'unknown']);
  const found = await findApiKey(project, { id: key.id, userId });
  expect(found?.key.lastUsedAt).toMatch(/:00\.000Z$/);
});
