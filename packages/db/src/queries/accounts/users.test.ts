import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../client.ts';
import { classOfError } from '../../error-class.ts';
import { prepareProjectQueries } from './projects.ts';
import { prepareUserQueries } from './users.ts';

test('a user is found by id and by e-mail address, and only by the address with the hash', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const user = { id: uuidv7(), email: 'ana@example.org', name: 'Ana' };
  const inserted = await users.insertUser({ ...user, passwordHash: 'hash' });
  expect(inserted).toEqual({ ...user, createdAt: expect.stringMatching(/T.*\.\d{3}Z$/) });
  expect(await users.findUser(user.id)).toEqual(inserted);
  const forLogin = { ...inserted, passwordHash: 'hash', loginNetworks: [] };
  expect(await users.findUserByEmail(user.email)).toEqual(forLogin);
  expect(await users.findUser(uuidv7())).toBeUndefined();
  expect(await users.findUserByEmail('ben@example.org')).toBeUndefined();
});

test('one of four users who sign up with the same e-mail address at once gets it', async () => {
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

test('a user whose address is taken is not stored, whatever else differs, and the former stays as it is', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const user = { id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' };
  const first = await users.insertUser(user);
  const second = { id: uuidv7(), email: user.email, name: 'B', passwordHash: 'other' };
  expect(await users.insertUser(second)).toBeUndefined();
  const stored = await users.findUserByEmail(user.email);
  expect(stored).toMatchObject({ ...first, passwordHash: 'hash' });
  expect(await users.findUser(second.id)).toBeUndefined();
});

test('the last eight networks of logins are known, each once, the newest first', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  const user = { id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' };
  await users.insertUser({ ...user, loginNetwork: 'x' });
  const isNew = await users.findUserByEmail(user.email);
  expect(isNew?.loginNetworks).toEqual(['x']);
  for (const network of 'abcacdefghi') await users.rememberLoginNetwork(user.id, network);
  const found = await users.findUserByEmail(user.email);
  expect(found?.loginNetworks.join('')).toBe('ihgfedca');
});

test('an address in upper case is refused: two users could share it', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const user = { id: uuidv7(), email: 'Ana@example.org', name: 'A', passwordHash: 'hash' };
  const inserted = prepareUserQueries(client).insertUser(user);
  await expect(inserted).rejects.toMatchObject({ code: '23514' });
});

test('an id that is no UUID is refused as a bad value, not taken for an unknown user', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const users = prepareUserQueries(client);
  await expect(users.findUser('me')).rejects.toMatchObject({ code: '22P02' });
  await expect(users.findUser('me')).rejects.toSatisfy((error) => classOfError(error) === 'value');
});

test('the role of each membership comes with it, and the projects of others do not', async ({
  project,
}) => {
  const { userId: memberId } = await project.newMember('ADMIN');
  const own = await project.newProject();
  await project.newMember();
  const users = prepareUserQueries(project);
  const [admin, owner] = [
    await users.findUserWithMemberships(memberId),
    await users.findUserWithMemberships(own.userId),
  ];
  expect(admin?.projectMemberships).toMatchObject([
    { role: 'ADMIN', userId: memberId, projectId: project.projectId },
  ]);
  expect(owner?.projectMemberships).toMatchObject([{ role: 'OWNER', projectId: own.projectId }]);
});
