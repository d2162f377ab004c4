import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

test('200 with the project under its new name, and every read has that', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const url = `/projects/${await api.createProject(ana)}`;
  const renamed = await api.inject(ana, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { name: 'new' }]);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  for (const payload of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'x', id: 'y' }]) {
    expect((await api.inject(ana, { method: 'PATCH', url, payload })).statusCode).toBe(400);
  }
});
