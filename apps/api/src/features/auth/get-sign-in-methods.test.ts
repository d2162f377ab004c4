import { expect } from 'vitest';
import { startTestApi, UNREACHABLE } from '../../../testing/api.ts';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const OIDC = {
  CONSOLE_URL: 'https://console.example.org',
  OIDC_ISSUER: 'https://login.example.org/realms/one',
  OIDC_CLIENT_ID: 'id',
  OIDC_CLIENT_SECRET: 'secret',
};

test('200 with passwords alone, without a token', async ({ api }) => {
  const answer = await api.app.inject({ url: '/auth/methods' });
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { passwords: true, provider: null, mail: false },
  ]);
});

test.each([
  ['false', true],
  ['true', false],
])(
  'with a provider and OIDC_ONLY=%s: its host, and passwords: %s; nobody asks the provider',
  async (OIDC_ONLY, passwords) => {
    await using api = await startTestApi(UNREACHABLE, { env: { ...OIDC, OIDC_ONLY } });
    const answer = await api.app.inject({ url: '/auth/methods' });
    expect(answer.json()).toMatchObject({ passwords, provider: { name: 'login.example.org' } });
  },
);
