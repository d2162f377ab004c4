import {
  endTokens,
  insertInvitation,
  listEndedTokens,
  openDatabase,
  upsertPasswordLink,
} from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { deleteExpiredKeys, deleteExpiredLinks, forgetEndedTokens } from './deleted-rows.ts';

test('keys that are a day old are deleted, younger keys stay', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  await using own = openDatabase(database.url, { connections: 1 });
  const ana = await api.createUser();
  const create = async (key: string) => {
    const headers = { 'idempotency-key': key };
    await api.inject(ana, { method: 'POST', url: '/projects', payload: { name: 'a' }, headers });
  };
  for (const key of ['old', 'older']) await create(key);
  await own.sql`update idempotency_keys set created_at = now() - interval '24 h'`;
  await create('young');
  expect(await deleteExpiredKeys(api.deps)).toEqual(['2 keys']);
  expect(await deleteExpiredKeys(api.deps)).toEqual([]);
  expect(await own.sql`select key from idempotency_keys`).toMatchObject([{ key: 'young' }]);
});

test('links that have expired are deleted, others stay', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  await using own = openDatabase(database.url, { connections: 1 });
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const invitation = { projectId: await api.createProject(ana), createdBy: ana.id } as const;
  for (const { id, email } of [ana, ben]) {
    const secretHash = Buffer.from(id);
    const guest = { id, email: `guest-${email}`, role: 'MEMBER', secretHash } as const;
    await insertInvitation(own, { ...invitation, ...guest }, 10);
    await upsertPasswordLink(own, { email, secretHash });
  }
  expect(await deleteExpiredLinks(api.deps)).toEqual([]);
  await own.sql`update invitations set expires_at = now() - interval '1 s' where id = ${ana.id}`;
  await own.sql`update password_links set expires_at = now() - interval '1 s' where user_id = ${ana.id}`;
  expect(await deleteExpiredLinks(api.deps)).toEqual(['1 invitations', '1 links for passwords']);
  expect(await own.sql`select id from invitations`).toEqual([{ id: ben.id }]);
  expect(await own.sql`select user_id from password_links`).toEqual([{ user_id: ben.id }]);
});

test('ended tokens are stored for two hours longer than a token lasts', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { env: { JWT_EXPIRATION: '2d' } });
  await using own = openDatabase(database.url, { connections: 1 });
  const [old, young] = [await api.createUser(), await api.createUser('ben')];
  for (const { id } of [old, young]) await endTokens(own, id);
  await own.sql`update ended_tokens set ended_at = now() - interval '50 h' where user_id = ${old.id}`;
  await own.sql`update ended_tokens set ended_at = now() - interval '2999 min' where user_id = ${young.id}`;
  expect(await forgetEndedTokens(api.deps)).toEqual(['of 1 users']);
  expect(await listEndedTokens(own)).toMatchObject([{ userId: young.id }]);
});
