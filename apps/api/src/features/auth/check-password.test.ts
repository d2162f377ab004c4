import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD } from '../../../testing/api.ts';
import { signIn, providerTest as test } from '../../../testing/provider-test.ts';

test('403 for whatever takes a password, where people sign in with the provider only; nothing is hashed', async ({
  database,
  provider,
}) => {
  const env = { ...provider.env, OIDC_ONLY: 'true' };
  const passwords = {
    length: 0,
    takeTurn: () => {
      throw new Error('a password is hashed');
    },
  };
  await using api = await startTestApi(database.url, { env, deps: { passwords } });
  const ana = await api.createUser();
  const [email, password] = [ana.email, TEST_PASSWORD];
  const requests = [
    { method: 'POST', url: '/auth/signup', payload: { email, password, name: 'Ana' } },
    { method: 'POST', url: '/auth/login', payload: { email, password } },
    { method: 'POST', url: '/auth/forgotten', payload: { email } },
    { method: 'POST', url: '/auth/reset-password', payload: { secret: 's'.repeat(43), password } },
    {
      method: 'POST',
      url: '/auth/password',
      payload: { current: password, new: 'battery staple' },
    },
    { method: 'PATCH', url: '/auth/me', payload: { email: `next-${email}`, password } },
    { method: 'DELETE', url: '/auth/me', payload: { password } },
  ] as const;
  for (const request of requests) {
    const answer = await api.inject(ana, request);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'passwords_off']);
    expect(answer.json().detail).toContain('POST /auth/provider/start');
  }
});

test('403 for another address or password of an account without one, which counts as no wrong password', async ({
  api,
  provider,
  ada,
}) => {
  const { body } = await signIn(api, provider, ada);
  const user = { ...body.user, token: body.token };
  const requests = [
    { method: 'POST', url: '/auth/password', payload: { current: 'any', new: 'battery staple' } },
    { method: 'PATCH', url: '/auth/me', payload: { email: `next-${ada.email}`, password: 'any' } },
    { method: 'DELETE', url: '/auth/me', payload: { password: 'any' } },
  ] as const;
  for (const request of Array.from({ length: 4 }, () => requests).flat()) {
    const answer = await api.inject(user, request);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'no_password']);
  }
  const renamed = await api.inject(user, {
    method: 'PATCH',
    url: '/auth/me',
    payload: { name: 'Ada L.' },
  });
  expect(renamed.json()).toMatchObject({ name: 'Ada L.', email: ada.email });
});
