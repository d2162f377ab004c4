import { randomBytes } from 'node:crypto';
import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
import { openNotifications } from '../../../testing/notifications.ts';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { deleteAccount, updateAccount } from './account-changes.ts';
import { changePassword, endTokens, linkIdentity } from './ended-tokens.ts';
import {
  deleteExpiredPasswordLinks,
  findPasswordLink,
  resetPassword,
  upsertPasswordLink,
} from './password-links.ts';
import { findUserOfIdentity } from './users.ts';

async function newLink(project: TestProject, userId = project.userId): Promise<Buffer> {
  const secretHash = randomBytes(32);
  const link = { email: `${userId}@example.com`, secretHash };
  expect(await upsertPasswordLink(project, link)).toBe(true);
  return secretHash;
}

async function countWaiting({ sql }: TestProject): Promise<number> {
  const waiting = await sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return waiting.length;
}

test('a link sets the password once, ends all tokens and says so', async ({ project }) => {
  const { userId } = project;
  await endTokens(project, userId);
  const secretHash = await newLink(project);
  expect(await findPasswordLink(project, secretHash)).toEqual({ userId });
  await using notifications = await openNotifications(project.url);
  const lock = await holdLocks(
    project.url,
    (sql) => sql`select from users where id = ${userId} for update`,
  );
  const resets = ['a', 'b'].map((passwordHash) =>
    resetPassword(project, { secretHash, passwordHash }),
  );
  await expect.poll(() => countWaiting(project)).toBe(2);
  await lock[Symbol.asyncDispose]();
  const results = await Promise.all(resets);
  const used = results.findIndex((result) => result !== undefined);
  expect(results[used]).toMatchObject({ id: userId, name: 'Someone', tokenVersion: 2 });
  expect(results[1 - used]).toBeUndefined();
  expect(await notifications.take()).toEqual([`caller_changed ${userId} 2`]);
  const [user] = await project.sql`select password_hash as hash from users where id = ${userId}`;
  expect(user).toEqual({ hash: ['a', 'b'][used] });
  expect(await findPasswordLink(project, secretHash)).toBeUndefined();
});

test('a password by a link frees the identity by which its person signed in', async ({
  project,
}) => {
  const { userId } = project;
  const identity = 'https://id.example.org ada';
  expect(await linkIdentity(project, { identity, email: `${userId}@example.com` })).toBe(1);
  const secretHash = await newLink(project);
  await resetPassword(project, { secretHash, passwordHash: 'new' });
  expect(await findUserOfIdentity(project, identity)).toBeUndefined();
});

test('only the newest link of an account is valid, for an hour, and nobody else gets one', async ({
  project,
}) => {
  const first = await newLink(project);
  const second = await newLink(project);
  expect(await findPasswordLink(project, first)).toBeUndefined();
  const times = await project.sql`
    select extract(epoch from expires_at - created_at)::int as seconds from password_links`;
  expect(times).toEqual([{ seconds: 3600 }]);
  await project.sql`update password_links set expires_at = now() - interval '1 s'`;
  expect(await findPasswordLink(project, second)).toBeUndefined();
  expect(await resetPassword(project, { secretHash: second, passwordHash: 'a' })).toBeUndefined();
  expect(await deleteExpiredPasswordLinks(project)).toBe(1);
  const nobody = { email: 'nobody@example.org', secretHash: first };
  expect(await upsertPasswordLink(project, nobody)).toBe(false);
  await project.sql`update users set kind = 'service', project_id = ${project.projectId}, email = 'service:1'
    where id = ${project.userId}`;
  expect(await upsertPasswordLink(project, { ...nobody, email: 'service:1' })).toBe(false);
});

const UNCHANGED = {
  name: undefined,
  email: undefined,
  passwordHash: undefined,
  loginNetwork: '',
};

const ends: Readonly<Record<string, (project: TestProject, userId: string) => Promise<unknown>>> = {
  'a sign-out everywhere': endTokens,
  'a new password': (project, userId) =>
    changePassword(project, { userId, formerHash: '', passwordHash: 'new' }),
  'another e-mail address': (project, userId) =>
    updateAccount(project, { ...UNCHANGED, userId, email: 'new@example.org', passwordHash: '' }),
  'the deletion of the account': deleteAccount,
};

test.for(Object.entries(ends))('%s ends the link', async ([, end], { project }) => {
  const userId = await project.newUser();
  const [secretHash, other] = [await newLink(project, userId), await newLink(project)];
  await end(project, userId);
  expect(await findPasswordLink(project, secretHash)).toBeUndefined();
  expect(await findPasswordLink(project, other)).toBeDefined();
});

test('another name leaves the link as it is', async ({ project }) => {
  const { userId } = project;
  const secretHash = await newLink(project);
  await updateAccount(project, { ...UNCHANGED, userId, name: 'Ana' });
  expect(await findPasswordLink(project, secretHash)).toEqual({ userId });
});

test('a link that waits for a change of the address is not stored', async ({ project }) => {
  const { userId, url } = project;
  await using lock = await holdLocks(
    url,
    (sql) => sql`update users set email = 'new@example.org' where id = ${userId}`,
  );
  const link = { email: `${userId}@example.com`, secretHash: randomBytes(32) };
  const stored = upsertPasswordLink(project, link);
  await expect.poll(() => countWaiting(project)).toBe(1);
  await lock[Symbol.asyncDispose]();
  expect(await stored).toBe(false);
  expect(await project.sql`select from password_links`).toHaveLength(0);
});

test('a change of the address that waits for a link ends it', async ({ project }) => {
  const { userId, url } = project;
  const link = { email: `${userId}@example.com`, secretHash: randomBytes(32) };
  await using lock = await holdLocks(url, (sql) => upsertPasswordLink({ sql }, link));
  const address = { email: 'new@example.org', passwordHash: '' };
  const changed = updateAccount(project, { ...UNCHANGED, ...address, userId });
  await expect.poll(() => countWaiting(project)).toBe(1);
  await lock[Symbol.asyncDispose]();
  expect(await changed).toBe('done');
  expect(await project.sql`select from password_links`).toHaveLength(0);
});
