import { endTokens, listEndedTokens, openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { deleteExpiredKeys, forgetEndedTokens } from './deleted-rows.ts';

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

test('ended tokens are remembered for an hour longer than a token lasts', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { env: { JWT_EXPIRATION: '2d' } });
  await using own = openDatabase(database.url, { connections: 1 });
  const [old, young] = [await api.createUser(), await api.createUser('ben')];
  for (const { id } of [old, young]) await endTokens(own, id);
  await own.sql`update ended_tokens set ended_at = now() - interval '49 h' where user_id = ${old.id}`;
  await own.sql`update ended_tokens set ended_at = now() - interval '2939 min' where user_id = ${young.id}`;
  expect(await forgetEndedTokens(api.deps)).toEqual(['of 1 users']);
  expect(await listEndedTokens(own)).toMatchObject([{ userId: young.id }]);
});
