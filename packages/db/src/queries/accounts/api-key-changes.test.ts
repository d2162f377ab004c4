import { MAX } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { addApiKey, KEY_LIMIT, newApiKey, SECRET_HASH } from '../../../testing/api-keys.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { test } from '../../../testing/project-test.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { deleteApiKey, insertApiKey, rotateApiKey } from './api-key-changes.ts';
import { findApiKey, findSecret, listApiKeys } from './api-keys.ts';
import { findMembership } from './memberships.ts';

test('of 24 keys that are created at once in a project for 20, exactly 20 are stored, and none in a deleted project', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const stored = await Promise.all(
    Array.from(
      { length: 24 },
      async () => await insertApiKey(project, newApiKey(project), KEY_LIMIT),
    ),
  );
  expect(stored.filter(Boolean)).toHaveLength(KEY_LIMIT);
  const page = await listApiKeys(project, { projectId, userId, before: MAX, limit: 100 });
  expect(page?.keys).toHaveLength(KEY_LIMIT);
  await markProjectDeleted(project, projectId);
  expect(await insertApiKey(project, newApiKey(project), 100)).toBe(false);
});

test('a rotation adds a secret; the older ones end after the given hours, or when they expire before', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await addApiKey(project, { expiresAt: '2999-01-01T00:00:00.000Z' });
  const next = { ...newApiKey(project), expiresAt: '2999-01-01T00:00:00.000Z' };
  expect(await rotateApiKey(project, key, next, 24)).toBe(true);
  expect(await findSecret(project, key.secretId)).toBeDefined();
  expect(await findSecret(project, next.secretId)).toEqual({
    userId: key.id,
    secretHash: SECRET_HASH,
    tokenVersion: 0,
    expiresAt: next.expiresAt,
  });
  const [old] = await project.sql`
    select round(extract(epoch from expires_at - now()) / 3600)::int as hours from api_keys where id = ${key.secretId}`;
  expect(old).toEqual({ hours: 24 });
  const third = newApiKey(project);
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
  expect(await rotateApiKey(project, key, newApiKey(project), 24)).toBe(true);
  expect(await project.sql`select from api_keys`).toHaveLength(2);
});

test('a rotation with 0 stops the external agents of the key, and no other agents; with 24 it stops none', async ({
  project,
}) => {
  const [key, other] = [await addApiKey(project), await addApiKey(project)];
  const ids = await Promise.all([
    addAgent(project, { role: 'external', createdBy: key.id }),
    addAgent(project, { createdBy: key.id }),
    addAgent(project, { role: 'external', createdBy: other.id }),
  ]);
  const desired = async () => {
    const rows = await project.sql`select id, desired from agents`;
    return ids.map((id) => rows.find((row) => row['id'] === id)?.['desired']);
  };
  expect(await rotateApiKey(project, key, newApiKey(project), 24)).toBe(true);
  expect(await desired()).toEqual(['running', 'running', 'running']);
  expect(await rotateApiKey(project, key, newApiKey(project), 0)).toBe(true);
  expect(await desired()).toEqual(['stopped', 'running', 'running']);
  const audited = await project.sql`
    select actor, target from audit_events where action = 'agent.stopped'`;
  expect(audited).toEqual([{ actor: project.userId, target: ids[0] }]);
});

test('a deleted key has no secret and no membership, and is barred from rooms; it is deleted once', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const key = await addApiKey(project);
  await rotateApiKey(project, key, newApiKey(project), 24);
  expect(await deleteApiKey(project, key)).toBe(true);
  expect(await deleteApiKey(project, key)).toBe(false);
  expect(await rotateApiKey(project, key, newApiKey(project), 24)).toBe(false);
  expect(await findSecret(project, key.secretId)).toBeUndefined();
  expect(await findMembership(project, { userId: key.id, projectId })).toBeUndefined();
  expect(await findApiKey(project, { id: key.id, userId })).toBeUndefined();
  expect(await project.sql`select user_id from removed_members`).toEqual([{ user_id: key.id }]);
  expect(await insertApiKey(project, newApiKey(project), 1)).toBe(true);
});
