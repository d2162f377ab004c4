import * as db from '@session/db';
import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const post = { method: 'POST', url: '/auth/password' } as const;
const NEXT = 'battery staple';

async function statusOf(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/auth/me' })).statusCode;
}

async function logIn({ app }: TestApi, { email }: TestUser, password: string): Promise<number> {
  const payload = { email, password };
  return (await app.inject({ method: 'POST', url: '/auth/login', payload })).statusCode;
}

test('200 with a new token; from then on former tokens and the former password get 401, from every API', async ({
  api,
  ana,
  database,
}) => {
  await using other = await startTestApi(database.url);
  expect(await statusOf(other, ana)).toBe(200);
  const changed = await api.inject(ana, {
    ...post,
    payload: { current: TEST_PASSWORD, new: NEXT },
  });
  const { user, token } = changed.json();
  const { token: _token, ...account } = ana;
  expect([changed.statusCode, user]).toEqual([200, { ...account, createdAt: expect.any(String) }]);
  // Without waiting for the notification.
  expect(await statusOf(api, ana)).toBe(401);
  await expect.poll(() => statusOf(other, ana)).toBe(401);
  for (const one of [api, other]) expect(await statusOf(one, { ...ana, token })).toBe(200);
  expect([await logIn(api, ana, TEST_PASSWORD), await logIn(api, ana, NEXT)]).toEqual([401, 200]);
});

test('403 for a wrong password, and 400 for a new one that is too short: nothing changes', async ({
  api,
  ana,
}) => {
  const wrong = await api.inject(ana, { ...post, payload: { current: 'wrong', new: NEXT } });
  expect([wrong.statusCode, wrong.json().code]).toEqual([403, 'wrong_password']);
  const short = await api.inject(ana, { ...post, payload: { current: TEST_PASSWORD, new: 'x' } });
  expect(short.json()).toMatchObject({ status: 400, errors: [{ path: 'body.new' }] });
  expect([await statusOf(api, ana), await logIn(api, ana, TEST_PASSWORD)]).toEqual([200, 200]);
});

test('wrong passwords count together with those of logins: after ten, a network is refused both', async ({
  api,
  ana,
}) => {
  const attempt = { ...post, payload: { current: 'incorrect horse', new: NEXT } };
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    statuses.push((await api.inject(ana, attempt)).statusCode);
    statuses.push(await logIn(api, ana, 'incorrect horse'));
  }
  expect(statuses).toEqual(Array.from({ length: 5 }, () => [403, 401]).flat());
  const right = { ...post, payload: { current: TEST_PASSWORD, new: NEXT } };
  const refused = await api.inject(ana, right);
  expect([refused.statusCode, await logIn(api, ana, TEST_PASSWORD)]).toEqual([429, 429]);
  const elsewhere = await api.inject(ana, { ...right, remoteAddress: '192.0.2.7' });
  expect(elsewhere.statusCode).toBe(200);
});

test('of two changes at once one is done, and the other finds another password', async ({
  api,
  ana,
}) => {
  const change = (password: string) =>
    api.inject(ana, { ...post, payload: { current: TEST_PASSWORD, new: password } });
  const answers = await Promise.all([change(NEXT), change('staple battery')]);
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 403]);
  const ended = await db.listEndedTokens(api.deps.database);
  expect(ended.filter(({ userId }) => userId === ana.id)).toMatchObject([{ version: 1 }]);
});
