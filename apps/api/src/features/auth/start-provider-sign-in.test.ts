import { freePort } from '@session/testing';
import { startTestProvider } from '@session/testing/identity-provider';
import { expect } from 'vitest';
import { startTestApi, UNREACHABLE } from '../../../testing/api.ts';
import { apiTestWithoutDatabase } from '../../../testing/api-test.ts';
import { providerTest as test } from '../../../testing/provider-test.ts';

const start = { method: 'POST', url: '/auth/provider/start' } as const;

test('200 with the page of the provider, by code flow with PKCE; the handle shows nothing of it', async ({
  api,
  provider,
}) => {
  const first = (await api.app.inject(start)).json();
  const second = (await api.app.inject({ ...start, payload: {} })).json();
  const { origin, searchParams } = new URL(first.url);
  expect(origin).toBe(provider.env['OIDC_ISSUER']);
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: provider.env['OIDC_CLIENT_ID'],
    redirect_uri: 'https://console.example.org/sign-in/provider',
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  const changing = ['state', 'nonce', 'code_challenge'];
  const other = new URL(second.url).searchParams;
  for (const name of changing) expect(other.get(name)).not.toBe(searchParams.get(name));
  const text = Buffer.from(first.handle.split('.').at(-1), 'base64url').toString('latin1');
  expect(text).not.toContain(searchParams.get('state'));
});

test('the provider is asked for its description once, and not before somebody signs in', async () => {
  await using provider = await startTestProvider();
  await using api = await startTestApi(UNREACHABLE, { env: provider.env });
  await api.app.inject({ url: '/auth/methods' });
  expect(provider.asked).toEqual([]);
  await Promise.all([api.app.inject(start), api.app.inject(start)]);
  await api.app.inject(start);
  expect(provider.asked).toEqual(['/.well-known/openid-configuration']);
});

test('503 while the provider is away, and 200 when it is back; the API has started without it', async () => {
  const port = await freePort('127.0.0.1');
  const away = await startTestProvider({ port });
  await away[Symbol.asyncDispose]();
  await using api = await startTestApi(UNREACHABLE, { env: away.env });
  const refused = await api.app.inject(start);
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'provider_unavailable']);
  expect(refused.headers['retry-after']).toBe('1');
  await using _ = await startTestProvider({ port });
  expect((await api.app.inject(start)).statusCode).toBe(200);
});

test('429 beyond the limit of logins', async ({ provider }) => {
  const env = { ...provider.env, RATE_LIMIT_LOGIN_PER_MINUTE: '1' };
  await using api = await startTestApi(UNREACHABLE, { env });
  expect((await api.app.inject(start)).statusCode).toBe(200);
  expect((await api.app.inject(start)).json()).toMatchObject({ code: 'too_many_requests' });
});

apiTestWithoutDatabase('404 without a provider, with what to do instead', async ({ api }) => {
  const answer = await api.app.inject(start);
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  expect(answer.json().detail).toContain('POST /auth/login');
});
