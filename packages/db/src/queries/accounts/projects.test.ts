import { createTestDatabase } from '@session/testing';
import { MAX, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openDatabase } from '../../connection/client.ts';
import { deleteMembership, insertMembership } from './membership-changes.ts';
import { findMembership } from './memberships.ts';
import { findProject, insertProject, listProjects, updateProject } from './projects.ts';
import { insertUser } from './users.ts';

test('a project is found by its members only, with its time in ISO 8601 to the millisecond', async () => {
  await using setting = await openSetting();
  const { ana, ben, client } = setting;
  const id = await setting.newProject('first');
  const membership = { id: uuidv7(), projectId: id, userId: ben.id, role: 'MEMBER' } as const;
  expect(await findProject(client, { id, userId: ben.id })).toBeUndefined();
  expect(await findMembership(client, membership)).toBeUndefined();
  expect(await insertMembership(client, membership)).toEqual(membership);
  expect(await insertMembership(client, { ...membership, id: uuidv7() })).toBeUndefined();
  expect(await findMembership(client, membership)).toEqual({ memberRole: 'MEMBER' });
  expect(await findProject(client, { id, userId: ben.id })).toEqual({
    id,
    name: 'first',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    retentionDays: null,
    searchLanguage: null,
    memberRole: 'MEMBER',
    memberships: [
      {
        id: expect.any(String),
        projectId: id,
        userId: ana.id,
        role: 'OWNER',
        user: { id: ana.id, email: ana.email, name: ana.name },
      },
      { ...membership, user: { id: ben.id, email: ben.email, name: ben.name } },
    ],
  });
});

test('a list has the caller’s projects, the newest first, and continues where a page ended', async () => {
  await using setting = await openSetting();
  const { ana, ben, client } = setting;
  const a = await setting.newProject('a');
  const b = await setting.newProject('b');
  const c = await setting.newProject('c');
  const first = await listProjects(client, { userId: ana.id, before: MAX, limit: 2 });
  expect(first).toMatchObject([
    { id: c, name: 'c', role: 'OWNER' },
    { id: b, name: 'b', role: 'OWNER' },
  ]);
  const second = await listProjects(client, { userId: ana.id, before: b, limit: 2 });
  expect(second).toMatchObject([{ id: a, name: 'a' }]);
  expect(await listProjects(client, { userId: ben.id, before: MAX, limit: 2 })).toEqual([]);
});

test('nothing is listed or stored for a user who does not exist', async () => {
  await using setting = await openSetting();
  const { sql, client } = setting;
  const gone = uuidv7();
  const project = { id: uuidv7(), name: 'orphan', membershipId: uuidv7(), ownerId: gone };
  await insertProject(client, project);
  expect(await sql`select 1 from projects`).toEqual([]);
  expect(await listProjects(client, { userId: gone, before: MAX, limit: 2 })).toBeUndefined();
});

/** Two users in a separate database. */
async function openSetting() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const client = stack.use(openDatabase(database.url));
  const [ana, ben] = ['ana', 'ben'].map((name) => ({
    id: uuidv7(),
    email: `${name}@example.org`,
    name,
    passwordHash: 'none',
  }));
  if (!(ana && ben)) throw new Error('there are two');
  for (const user of [ana, ben]) await insertUser(client, user);
  const owned = stack.move();
  return {
    sql: client.sql,
    ana,
    ben,
    client,
    async newProject(name: string): Promise<string> {
      const id = uuidv7();
      await insertProject(client, { id, name, membershipId: uuidv7(), ownerId: ana.id });
      return id;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('a name is changed, unless the project is deleted, and no other project with it', async () => {
  await using setting = await openSetting();
  const { ana, sql, client } = setting;
  const [id, other] = [await setting.newProject('first'), await setting.newProject('second')];
  await updateProject(client, id, { name: 'renamed' });
  const names = async () =>
    (await listProjects(client, { userId: ana.id, before: MAX, limit: 9 }))?.map(
      ({ name }) => name,
    );
  expect(await names()).toEqual(['second', 'renamed']);
  await sql`update projects set deleted_at = now() where id = ${other}`;
  await updateProject(client, other, { name: 'too late' });
  expect(await names()).toEqual(['second', 'renamed']);
  await updateProject(client, uuidv7(), { name: 'nobody' });
});

test('pages of seven projects, three at a time: each once, the newest first, with the role in each', async () => {
  await using setting = await openSetting();
  const { ana, ben, client } = setting;
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    const id = await setting.newProject(`${count}`);
    ids.unshift(id);
    const role = count % 2 === 0 ? 'MEMBER' : 'ADMIN';
    await insertMembership(client, { id: uuidv7(), projectId: id, userId: ben.id, role });
  }
  const read: (readonly [string, string])[] = [];
  for (let before: string = MAX; ; ) {
    const page = (await listProjects(client, { userId: ben.id, before, limit: 3 })) ?? [];
    read.push(...page.map(({ id, role }) => [id, role] as const));
    if (page.length < 3) break;
    before = page.at(-1)?.id ?? '';
  }
  expect(read).toEqual(ids.map((id, index) => [id, index % 2 === 0 ? 'MEMBER' : 'ADMIN']));
  expect(await listProjects(client, { userId: ana.id, before: MAX, limit: 0 })).toEqual([]);
});

test('the members of a project come in the order in which they joined, not of their ids or names', async () => {
  await using setting = await openSetting();
  const { ana, ben, client } = setting;
  const id = await setting.newProject('first');
  await insertMembership(client, {
    id: uuidv7(),
    projectId: id,
    userId: ben.id,
    role: 'OWNER',
  });
  const seen = { projectId: id, userId: ana.id, seenRole: 'OWNER', by: ben.id } as const;
  await deleteMembership(client, seen);
  await insertMembership(client, {
    id: uuidv7(),
    projectId: id,
    userId: ana.id,
    role: 'ADMIN',
  });
  const found = await findProject(client, { id, userId: ana.id });
  expect(found?.memberships.map(({ userId, role }) => [userId, role])).toEqual([
    [ben.id, 'OWNER'],
    [ana.id, 'ADMIN'],
  ]);
  expect(found?.memberRole).toBe('ADMIN');
});

test('what is left out stays, null keeps histories for ever, and both change together or not at all', async () => {
  await using setting = await openSetting();
  const { ana, client } = setting;
  const id = await setting.newProject('first');
  const changed = async (change: Parameters<typeof updateProject>[2]) => {
    await updateProject(client, id, change);
    const { name, retentionDays } = (await findProject(client, { id, userId: ana.id })) ?? {};
    return { name, retentionDays };
  };
  expect(await changed({ retentionDays: 30 })).toEqual({ name: 'first', retentionDays: 30 });
  expect(await changed({ name: 'second' })).toEqual({ name: 'second', retentionDays: 30 });
  await expect(changed({ name: 'half', retentionDays: -1 })).rejects.toThrow('retention_days');
  expect(await changed({ retentionDays: null })).toEqual({ name: 'second', retentionDays: null });
});
