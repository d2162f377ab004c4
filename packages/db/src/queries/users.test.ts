import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openDatabase } from '../client.ts';
import { prepareProjectQueries } from './projects.ts';
import { prepareUserQueries } from './users.ts';

test('a user is found by id and by e-mail address, and only the latter gives the hash', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const user = { id: uuidv7(), email: 'ana@example.org', name: 'Ana' };
  const inserted = await users.insertUser({ ...user, passwordHash: 'hash' });
  expect(inserted).toEqual({ ...user, createdAt: expect.stringMatching(/T.*\.\d{3}Z$/) });
  expect(await users.findUser(user.id)).toEqual(inserted);
  expect(await users.findUserByEmail(user.email)).toEqual({ ...inserted, passwordHash: 'hash' });
  expect(await users.findUser(uuidv7())).toBeUndefined();
  expect(await users.findUserByEmail('ben@example.org')).toBeUndefined();
});

test('one of four who take the same e-mail address at once gets it', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const all = await Promise.all(
    Array.from({ length: 4 }, () =>
      users.insertUser({ id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' }),
    ),
  );
  expect(all.filter((user) => user !== undefined)).toHaveLength(1);
});

test('a user comes with the projects they belong to, the oldest first', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const projects = prepareProjectQueries(client);
  const id = uuidv7();
  await users.insertUser({ id, email: 'a@example.org', name: 'A', passwordHash: 'hash' });
  expect(await users.findUserWithMemberships(id)).toMatchObject({ id, projectMemberships: [] });
  for (const name of ['one', 'two']) {
    await projects.insertProject({ id: uuidv7(), name, membershipId: uuidv7(), ownerId: id });
  }
  expect(await users.findUserWithMemberships(id)).toMatchObject({
    id,
    projectMemberships: [
      { userId: id, role: 'OWNER', project: { name: 'one' } },
      { userId: id, role: 'OWNER', project: { name: 'two' } },
    ],
  });
  expect(await users.findUserWithMemberships(uuidv7())).toBeUndefined();
});
