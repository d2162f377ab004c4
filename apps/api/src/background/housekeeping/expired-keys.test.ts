import { openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { deleteExpiredKeys } from './deleted-rows.ts';

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
