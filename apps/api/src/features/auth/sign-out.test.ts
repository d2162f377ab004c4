import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('204, and 401 for all tokens of the user from then on, from every API; a login gives one that is valid', async ({
  api,
  ana,
  database,
}) => {
  await using other = await startTestApi(database.url);
  const ben = await api.createUser('ben');
  const read = async (one: typeof api, token: string) =>
    (await one.inject({ ...ana, token }, { url: '/auth/me' })).statusCode;
  expect([await read(api, ana.token), await read(other, ana.token)]).toEqual([200, 200]);
  const signedOut = await api.inject(ana, { method: 'POST', url: '/auth/sign-out' });
  expect([signedOut.statusCode, signedOut.body]).toEqual([204, '']);
  expect(await read(api, ana.token)).toBe(401);
  await expect.poll(() => read(other, ana.token)).toBe(401);
  const payload = { email: ana.email, password: TEST_PASSWORD };
  const login = await other.app.inject({ method: 'POST', url: '/auth/login', payload });
  const { token } = login.json();
  expect([await read(api, token), await read(other, token), await read(api, ben.token)]).toEqual([
    200, 200, 200,
  ]);
});
