import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the project under its new name, which every later read has', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}`;
  const renamed = await api.inject(ana, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { name: 'new' }]);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  for (const payload of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'x', id: 'y' }]) {
    expect((await api.inject(ana, { method: 'PATCH', url, payload })).statusCode).toBe(400);
  }
});
