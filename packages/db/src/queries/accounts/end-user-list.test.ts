import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { insertApiKey } from './api-key-changes.ts';
import { FIND_END_USER, LIST_END_USERS, listEndUsers } from './end-user-list.ts';
import { upsertEndUser } from './end-users.ts';

test('the end users of a project, the newest first, and neither its keys nor those of another project', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const sessionId = await project.newSession();
  const ids = Array.from({ length: 5 }, () => uuidv7());
  for (const [index, id] of ids.entries()) {
    const endUser = { id, projectId, externalId: `customer-${index}`, name: `Ada ${index}` };
    await upsertEndUser(project, { ...endUser, sessionId, issuedBy: userId });
  }
  // Two end users were created at the same time.
  await sql`update users set created_at = '2026-01-01' where id = any (${ids.slice(0, 2)})`;
  const key = { id: uuidv7(), projectId, name: 'Backend', role: 'MEMBER' as const };
  const secret = { secretId: 'secret', secretHash: Buffer.from('x'), createdBy: userId };
  await insertApiKey(project, { ...key, ...secret, membershipId: uuidv7(), expiresAt: null }, 1);
  const all = await listEndUsers(project, { projectId, userId, limit: 9 });
  expect(all).toMatchObject({ memberRole: 'OWNER', isCursorKnown: true });
  expect(all?.endUsers.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(all?.endUsers[0]).toEqual({
    id: ids[4],
    externalId: 'customer-4',
    name: 'Ada 4',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listEndUsers(project, { projectId, userId, limit: 2, cursor });
    read.push(...(page?.endUsers.map(({ id }) => id) ?? []));
    cursor = page?.endUsers[1]?.id;
    if (cursor === undefined) break;
  }
  expect(read).toEqual(ids.toReversed());
  const one = await listEndUsers(project, { projectId, userId, limit: 2, id: ids[1] });
  expect(one?.endUsers.map(({ externalId }) => externalId)).toEqual(['customer-1']);
  const other = await project.newProject();
  const none = { isCursorKnown: true, endUsers: [] };
  expect(await listEndUsers(project, { ...other, limit: 9 })).toMatchObject(none);
  expect(await listEndUsers(project, { ...other, limit: 9, id: ids[1] })).toMatchObject(none);
  const foreign = await listEndUsers(project, { ...other, limit: 9, cursor: ids[1] });
  expect(foreign?.isCursorKnown).toBe(false);
  const stranger = { projectId, userId: await project.newUser(), limit: 9 };
  expect(await listEndUsers(project, stranger)).toBeUndefined();
});

test('a page is read from the index, in its order; one end user alone is not sought there', async ({
  project,
}) => {
  const planOf = async ({ text }: { text: string }) => {
    const rows = await project.sql.unsafe(`explain (generic_plan, costs off) ${text}`);
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  };
  expect(await planOf(LIST_END_USERS)).toMatch(/Index Scan using users_newest_end_user/);
  expect(await planOf(FIND_END_USER)).not.toContain('users_newest_end_user');
});
