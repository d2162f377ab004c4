import { createHash, randomUUID } from 'node:crypto';
import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { openNotifications } from '../../../testing/notifications.ts';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { deleteApiKey, insertApiKey, rotateApiKey } from './api-key-changes.ts';
import { findApiKey, findSecret, type KeyRole, listApiKeys, noteSecretUses } from './api-keys.ts';
import { findMembership, listMembers } from './memberships.ts';
import { findProject } from './projects.ts';

const LIMIT = 20;
const HASH = createHash('sha256').update('secret').digest();

test('a key is a member that is not among the members: its project alone is open to it', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await insert(project, { role: 'ADMIN' });
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
  const keys = [await insert(project), await insert(project), await insert(project)].toReversed();
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

test('of 24 keys that are created at once in a project for 20, exactly 20 are stored, and none in a deleted project', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const stored = await Promise.all(
    Array.from({ length: 24 }, async () => await insertApiKey(project, newKey(project), LIMIT)),
  );
  expect(stored.filter(Boolean)).toHaveLength(LIMIT);
  const page = await listApiKeys(project, { projectId, userId, before: MAX, limit: 100 });
  expect(page?.keys).toHaveLength(LIMIT);
  await markProjectDeleted(project, projectId);
  expect(await insertApiKey(project, newKey(project), 100)).toBe(false);
});

test('a secret is found until it expires', async ({ project }) => {
  const key = await insert(project);
  expect(await findSecret(project, key.secretId)).toEqual({
    userId: key.id,
    secretHash: HASH,
    tokenVersion: 0,
    expiresAt: null,
  });
  await project.sql`update api_keys set expires_at = now() + interval '1 min'`;
  expect(await findSecret(project, key.secretId)).toBeDefined();
  await project.sql`update api_keys set expires_at = now() - interval '1 s'`;
  expect(await findSecret(project, key.secretId)).toBeUndefined();
});

test('a rotation adds a secret; the older ones end after the given hours, or when they expire before', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await insert(project, { expiresAt: '2999-01-01T00:00:00.000Z' });
  const next = { ...newKey(project), expiresAt: '2999-01-01T00:00:00.000Z' };
  expect(await rotateApiKey(project, key, next, 24)).toBe(true);
  expect(await findSecret(project, key.secretId)).toBeDefined();
  expect(await findSecret(project, next.secretId)).toEqual({
    userId: key.id,
    secretHash: HASH,
    tokenVersion: 0,
    expiresAt: next.expiresAt,
  });
  const [old] = await project.sql`
    select round(extract(epoch from expires_at - now()) / 3600)::int as hours from api_keys where id = ${key.secretId}`;
  expect(old).toEqual({ hours: 24 });
  const third = newKey(project);
  await using notifications = await openNotifications(project.url);
  expect(await rotateApiKey(project, key, third, 0)).toBe(true);
  expect((await notifications.take()).toSorted()).toEqual(
    [key.secretId, next.secretId, `${key.id} 1`].map((id) => `caller_changed ${id}`).toSorted(),
  );
  expect((await findSecret(project, third.secretId))?.tokenVersion).toBe(1);
  expect(await findSecret(project, key.secretId)).toBeUndefined();
  expect(await findSecret(project, next.secretId)).toBeUndefined();
  const shown = await findApiKey(project, { id: key.id, userId });
  expect(shown?.key).toMatchObject({ id: key.id, secretId: third.secretId, projectId });
  expect(await rotateApiKey(project, key, newKey(project), 24)).toBe(true);
  expect(await project.sql`select from api_keys`).toHaveLength(2);
});

test('a deleted key has no secret and no membership, and is barred from rooms; it is deleted once', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await insert(project);
  await rotateApiKey(project, key, newKey(project), 24);
  expect(await deleteApiKey(project, key)).toBe(true);
  expect(await deleteApiKey(project, key)).toBe(false);
  expect(await rotateApiKey(project, key, newKey(project), 24)).toBe(false);
  expect(await findSecret(project, key.secretId)).toBeUndefined();
  expect(await findMembership(project, { userId: key.id, projectId })).toBeUndefined();
  expect(await findApiKey(project, { id: key.id, userId })).toBeUndefined();
  expect(await project.sql`select user_id from removed_members`).toEqual([{ user_id: key.id }]);
  expect(await insertApiKey(project, newKey(project), 1)).toBe(true);
});

test('the last use of a key is that of any of its secrets', async ({ project }) => {
  const { userId } = project;
  const key = await insert(project);
  await rotateApiKey(project, key, newKey(project), 24);
  await noteSecretUses(project, [key.secretId, 'unknown']);
  const found = await findApiKey(project, { id: key.id, userId });
  expect(found?.key.lastUsedAt).toMatch(/:00\.000Z$/);
});

async function insert(project: TestProject, more: Parameters<typeof newKey>[1] = {}) {
  const key = newKey(project, more);
  expect(await insertApiKey(project, key, LIMIT)).toBe(true);
  return key;
}

function newKey(
  { projectId, userId }: TestProject,
  { role = 'MEMBER', expiresAt = null }: { role?: KeyRole; expiresAt?: string | null } = {},
) {
  const secret = { secretId: randomUUID(), secretHash: HASH, createdBy: userId, expiresAt };
  return { id: uuidv7(), projectId, name: 'Backend', role, membershipId: uuidv7(), ...secret };
}
