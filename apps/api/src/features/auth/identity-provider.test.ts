import { startTestProvider } from '@session/testing/identity-provider';
import { serve } from '@session/testing/serve';
import { expect, test } from 'vitest';
import { IdentityProvider } from './identity-provider.ts';

const config = {
  clientId: 'id',
  clientSecret: 'secret',
  redirectUrl: 'https://console.example.org/sign-in/provider',
  isOnly: false,
};
const AWAY = { code: 'provider_unavailable' };

test('a provider that takes a request and never answers is away after the limit', async () => {
  await using server = await serve(() => {});
  const issuer = server.url;
  const provider = new IdentityProvider({ ...config, issuer }, { timeoutSeconds: 0.05 });
  await expect(provider.begin()).rejects.toMatchObject(AWAY);
});

test('a description of another issuer is refused', async () => {
  await using real = await startTestProvider();
  const issuer = real.issuer.replace('127.0.0.1', 'localhost');
  const provider = new IdentityProvider({ ...config, issuer });
  await expect(provider.begin()).rejects.toMatchObject(AWAY);
});

test('the description is read again after an hour, once for all that begin at this moment', async () => {
  await using real = await startTestProvider();
  let now = 0;
  const { issuer } = real;
  const provider = new IdentityProvider({ ...config, issuer }, { now: () => now });
  await provider.begin();
  now = 3_599_999;
  await provider.begin();
  expect(real.asked).toHaveLength(1);
  now = 3_600_000;
  await Promise.all([provider.begin(), provider.begin()]);
  expect(real.asked).toHaveLength(2);
});
