import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newIdentity } from '../../../testing/new-identity.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { test } from '../../../testing/project-test.ts';
import { deleteAccount } from './account-changes.ts';
import {
  changePassword,
  endTokens,
  forgetEndedTokens,
  linkIdentity,
  listEndedTokens,
  listNewlyEndedTokens,
} from './ended-tokens.ts';
import {
  findUser,
  findUserByEmail,
  findUserOfIdentity,
  insertUser,
  insertUserOfIdentity,
} from './users.ts';

test('each end raises the version by one, is listed once, and is notified with the version', async ({
  project,
}) => {
  const { userId } = project;
  await using notifications = await openNotifications(project.url);
  expect([await endTokens(project, userId), await endTokens(project, userId)]).toEqual([1, 2]);
  expect(await listEndedTokens(project)).toMatchObject([{ userId, version: 2 }]);
  expect(await notifications.take()).toEqual([
    `caller_changed ${userId} 1`,
    `caller_changed ${userId} 2`,
  ]);
  expect(await endTokens(project, uuidv7())).toBeUndefined();
  expect(await notifications.take()).toEqual([]);
});

test('of several ends at once, each gets a version of its own', async ({ project }) => {
  const versions = await Promise.all(
    Array.from({ length: 5 }, () => endTokens(project, project.userId)),
  );
  expect(new Set(versions)).toEqual(new Set([1, 2, 3, 4, 5]));
});

test('a password is changed once: a second change that saw the former one too changes nothing', async ({
  project,
}) => {
  const { userId, sql } = project;
  await sql`update users set password_hash = 'former' where id = ${userId}`;
  const changes = ['a', 'b'].map((passwordHash) =>
    changePassword(project, { userId, formerHash: 'former', passwordHash }),
  );
  const versions = await Promise.all(changes);
  expect(new Set(versions)).toEqual(new Set([1, undefined]));
  const [user] =
    await sql`select password_hash as hash, token_version from users where id = ${userId}`;
  expect(user).toEqual({ hash: versions[0] === 1 ? 'a' : 'b', token_version: 1 });
});

test('new ends are those of the last 30 s; old ones are forgotten', async ({ project }) => {
  const [old, older, young] = [
    await project.newUser(),
    await project.newUser(),
    await project.newUser(),
  ];
  for (const userId of [old, older, young]) await endTokens(project, userId);
  await project.sql`update ended_tokens set ended_at = now() - interval '1 h' where user_id = ${old}`;
  await project.sql`update ended_tokens set ended_at = now() - interval '2 h' where user_id = ${older}`;
  expect(await listNewlyEndedTokens(project)).toMatchObject([{ userId: young, version: 1 }]);
  const hours = (await listEndedTokens(project)).map(({ ageSeconds }) =>
    Math.floor(ageSeconds / 3600),
  );
  expect(new Set(hours)).toEqual(new Set([0, 1, 2]));
  const left = async () => (await listEndedTokens(project)).map(({ userId }) => userId).toSorted();
  expect(await forgetEndedTokens(project, 3601)).toBe(1);
  expect(await left()).toEqual([old, young].toSorted());
});

test('an account that is taken over loses password and networks, and all tokens end', async ({
  project,
}) => {
  const { id, identity, email } = newIdentity();
  const made = { id, email, name: 'Eve', passwordHash: 'hash', loginNetwork: 'x' };
  await insertUser(project, made);
  await using notifications = await openNotifications(project.url);
  expect(await linkIdentity(project, { identity, email })).toBe(1);
  expect(await notifications.take()).toEqual([`caller_changed ${id} 1`]);
  const after = { name: 'Eve', passwordHash: '', loginNetworks: [], tokenVersion: 1 };
  expect(await findUserByEmail(project, email)).toMatchObject(after);
  expect(await findUserOfIdentity(project, identity)).toMatchObject({ id, tokenVersion: 1 });
});

test('neither an account with an identity nor an identity with an account is linked again', async ({
  project,
}) => {
  const [ana, ben] = [newIdentity(), newIdentity()];
  await insertUserOfIdentity(project, ana);
  await insertUser(project, { ...ben, passwordHash: 'hash' });
  expect(await linkIdentity(project, { ...ben, email: ana.email })).toBeUndefined();
  expect(await linkIdentity(project, { ...ana, email: ben.email })).toBeUndefined();
  expect(
    await insertUserOfIdentity(project, { ...ana, id: uuidv7(), email: 'a@b.c' }),
  ).toBeUndefined();
  expect(
    await insertUserOfIdentity(project, { ...ana, id: uuidv7(), identity: 'x' }),
  ).toBeUndefined();
  expect(await findUserByEmail(project, ben.email)).toMatchObject({ passwordHash: 'hash' });
});

test('a deletion frees the identity', async ({ project }) => {
  const ana = newIdentity();
  await insertUserOfIdentity(project, ana);
  expect(await deleteAccount(project, ana.id)).toMatchObject({ outcome: 'done' });
  expect(await findUserOfIdentity(project, ana.identity)).toBeUndefined();
  const next = { ...ana, id: uuidv7() };
  expect(await insertUserOfIdentity(project, next)).toMatchObject({ id: next.id });
  expect(await findUser(project, ana.id)).toMatchObject({ name: 'Deleted user' });
});
