import { expect } from 'vitest';
import { TEST_PASSWORD, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

async function change(api: TestApi, user: TestUser, payload: object) {
  const answer = await api.inject(user, { method: 'PATCH', url: '/auth/me', payload });
  return { status: answer.statusCode, body: answer.json() };
}

test('200 with the account under its new name, which members of its projects see; the token stays valid', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const { status, body } = await change(api, ana, { name: ' Ana B. ' });
  expect([status, body]).toMatchObject([200, { id: ana.id, name: 'Ana B.', email: ana.email }]);
  const members = (await api.inject(ana, { url: `/projects/${projectId}/members` })).json();
  expect(members.items).toMatchObject([{ user: { name: 'Ana B.' } }]);
  expect((await change(api, ana, {})).body).toEqual(body);
});

test('another e-mail address needs the password, and is that of the next login; the former one is free', async ({
  api,
  ana,
}) => {
  const email = `next-${ana.email}`;
  const without = await change(api, ana, { email });
  expect(without).toMatchObject({ status: 400, body: { errors: [{ path: 'body.password' }] } });
  const wrong = await change(api, ana, { email, password: 'wrong' });
  expect(wrong).toMatchObject({ status: 403, body: { code: 'wrong_password' } });
  const changed = await change(api, ana, { email: email.toUpperCase(), password: TEST_PASSWORD });
  expect(changed).toMatchObject({ status: 200, body: { email, name: ana.name } });
  const logIn = async (address: string) => {
    const payload = { email: address, password: TEST_PASSWORD };
    return (await api.app.inject({ method: 'POST', url: '/auth/login', payload })).statusCode;
  };
  expect([await logIn(email), await logIn(ana.email)]).toEqual([200, 401]);
  const payload = { email: ana.email, password: TEST_PASSWORD, name: 'Another' };
  const signUp = await api.app.inject({ method: 'POST', url: '/auth/signup', payload });
  expect(signUp.statusCode).toBe(201);
});

test('409 for the address of another account; one’s own address may stay', async ({ api, ana }) => {
  const ben = await api.createUser('ben');
  const taken = await change(api, ana, { email: ben.email, password: TEST_PASSWORD });
  expect(taken).toMatchObject({ status: 409, body: { code: 'email_taken' } });
  const own = await change(api, ana, { email: ana.email, password: TEST_PASSWORD, name: 'A' });
  expect(own).toMatchObject({ status: 200, body: { email: ana.email, name: 'A' } });
});

test('the network of the change counts as known under the new address', async ({ api, ana }) => {
  const email = `next-${ana.email}`;
  await change(api, ana, { email, password: TEST_PASSWORD });
  const [user] = await api.deps.database.sql`
    select login_networks as networks from users where id = ${ana.id}`;
  expect(user?.['networks']).toHaveLength(1);
  const payload = { email, password: TEST_PASSWORD };
  await api.app.inject({ method: 'POST', url: '/auth/login', payload });
  const [after] = await api.deps.database.sql`
    select login_networks as networks from users where id = ${ana.id}`;
  expect(after).toEqual(user);
});
