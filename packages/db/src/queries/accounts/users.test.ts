import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newIdentity } from '../../../testing/new-identity.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import { classOfError } from '../../errors/error-class.ts';
import { insertProject } from './projects.ts';
import {
  findUser,
  findUserByEmail,
  findUserOfIdentity,
  findUserWithMemberships,
  insertUser,
  insertUserOfIdentity,
  rememberLoginNetwork,
} from './users.ts';

test('a user is found by id and by e-mail address, and only by the address with the hash', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const user = { id: uuidv7(), email: 'ana@example.org', name: 'Ana' };
  const inserted = await insertUser(client, { ...user, passwordHash: 'hash' });
  expect(inserted).toEqual({ ...user, createdAt: expect.stringMatching(/T.*\.\d{3}Z$/) });
  expect(await findUser(client, user.id)).toEqual({ ...inserted, externalId: null });
  const forLogin = { ...inserted, passwordHash: 'hash', loginNetworks: [], tokenVersion: 0 };
  expect(await findUserByEmail(client, user.email)).toEqual(forLogin);
  expect(await findUser(client, uuidv7())).toBeUndefined();
  expect(await findUserByEmail(client, 'ben@example.org')).toBeUndefined();
});

test('one of four users who sign up with the same e-mail address at once gets it', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const all = await Promise.all(
    Array.from({ length: 4 }, () =>
      insertUser(client, { id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' }),
    ),
  );
  expect(all.filter((user) => user !== undefined)).toHaveLength(1);
});

test('a user comes with the projects they belong to, the oldest first', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const id = uuidv7();
  await insertUser(client, { id, email: 'a@example.org', name: 'A', passwordHash: 'hash' });
  expect(await findUserWithMemberships(client, id)).toMatchObject({ id, projectMemberships: [] });
  for (const name of ['one', 'two']) {
    await insertProject(client, { id: uuidv7(), name, membershipId: uuidv7(), ownerId: id });
  }
  expect(await findUserWithMemberships(client, id)).toMatchObject({
    id,
    projectMemberships: [
      { userId: id, role: 'OWNER', project: { name: 'one' } },
      { userId: id, role: 'OWNER', project: { name: 'two' } },
    ],
  });
  expect(await findUserWithMemberships(client, uuidv7())).toBeUndefined();
});

test('a user whose address is taken is not stored, whatever else differs, and the former stays as it is', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const user = { id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' };
  const first = await insertUser(client, user);
  const second = { id: uuidv7(), email: user.email, name: 'B', passwordHash: 'other' };
  expect(await insertUser(client, second)).toBeUndefined();
  const stored = await findUserByEmail(client, user.email);
  expect(stored).toMatchObject({ ...first, passwordHash: 'hash' });
  expect(await findUser(client, second.id)).toBeUndefined();
});

test('the last eight networks of logins are known, each once, the newest first', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const user = { id: uuidv7(), email: 'a@example.org', name: 'A', passwordHash: 'hash' };
  await insertUser(client, { ...user, loginNetwork: 'x' });
  const isNew = await findUserByEmail(client, user.email);
  expect(isNew?.loginNetworks).toEqual(['x']);
  for (const network of 'abcacdefghi') await rememberLoginNetwork(client, user.id, network);
  const found = await findUserByEmail(client, user.email);
  expect(found?.loginNetworks.join('')).toBe('ihgfedca');
});

test('an address in upper case is refused: two users could share it', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const user = { id: uuidv7(), email: 'Ana@example.org', name: 'A', passwordHash: 'hash' };
  const inserted = insertUser(client, user);
  await expect(inserted).rejects.toMatchObject({ code: '23514' });
});

test('an id that is no UUID is refused as a bad value, not taken for an unknown user', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  await expect(findUser(client, 'me')).rejects.toMatchObject({ code: '22P02' });
  await expect(findUser(client, 'me')).rejects.toSatisfy(
    (error) => classOfError(error) === 'value',
  );
});

test('the role of each membership comes with it, and the projects of others do not', async ({
  project,
}) => {
  const { userId: memberId } = await project.newMember('ADMIN');
  const own = await project.newProject();
  await project.newMember();
  const [admin, owner] = [
    await findUserWithMemberships(project, memberId),
    await findUserWithMemberships(project, own.userId),
  ];
  expect(admin?.projectMemberships).toMatchObject([
    { role: 'ADMIN', userId: memberId, projectId: project.projectId },
  ]);
  expect(owner?.projectMemberships).toMatchObject([{ role: 'OWNER', projectId: own.projectId }]);
});

test('a new person has an account without a password, which is found by the identity', async ({
  project,
}) => {
  const { identity, ...user } = newIdentity();
  const inserted = await insertUserOfIdentity(project, { identity, ...user });
  expect(inserted).toEqual({ ...user, createdAt: expect.any(String), tokenVersion: 0 });
  expect(await findUserOfIdentity(project, identity)).toEqual(inserted);
  expect(await findUserOfIdentity(project, user.id)).toBeUndefined();
  expect(await findUserByEmail(project, user.email)).toMatchObject({ passwordHash: '' });
});
