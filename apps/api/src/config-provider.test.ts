import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const env = {
  JWT_SECRET: 's'.repeat(32),
  MEDIA_URL: 'wss://media.example.org',
  MEDIA_API_KEY: 'key',
  MEDIA_API_SECRET: 'hunter2',
  DATABASE_URL: 'postgres://user:hunter2@127.0.0.1/db',
};

const oidc = {
  CONSOLE_URL: 'https://console.example.org/',
  OIDC_ISSUER: 'https://login.example.org/realms/one/',
  OIDC_CLIENT_ID: 'id',
  OIDC_CLIENT_SECRET: 'hunter2',
};

test('people may sign in with an identity provider, which knows the page of the console that it returns to', () => {
  const provider = {
    issuer: oidc.OIDC_ISSUER,
    clientId: 'id',
    clientSecret: 'hunter2',
    redirectUrl: 'https://console.example.org/sign-in/provider',
    isOnly: false,
  };
  expect(loadConfig({ ...env, ...oidc }).provider).toEqual(provider);
  const only = loadConfig({ ...env, ...oidc, OIDC_ONLY: 'true' });
  expect(only.provider).toEqual({ ...provider, isOnly: true });
  expect(loadConfig({ ...env, OIDC_ONLY: 'false' }).provider).toBeUndefined();
});

test.each(['http://127.0.0.1:3009', 'http://localhost:3009/path', 'http://[::1]:3009'])(
  'the provider may be at %s',
  (OIDC_ISSUER) => {
    expect(loadConfig({ ...env, ...oidc, OIDC_ISSUER }).provider?.issuer).toBe(OIDC_ISSUER);
  },
);

const refusals: [NodeJS.ProcessEnv, string][] = [
  [
    { ...env, OIDC_ONLY: 'true' },
    [
      'OIDC_ISSUER is not set: the https:// URL of the identity provider is needed',
      'OIDC_CLIENT_ID is not set: the id of this service at the identity provider is needed',
      'OIDC_CLIENT_SECRET is not set: the secret that belongs to OIDC_CLIENT_ID is needed',
      'CONSOLE_URL is not set: the URL at which browsers reach the console is needed',
    ].join('\n'),
  ],
  [
    { ...env, ...oidc, OIDC_CLIENT_SECRET: '' },
    'OIDC_CLIENT_SECRET is not set: the secret that belongs to OIDC_CLIENT_ID is needed',
  ],
  ...['http://login.example.org', 'http://127.0.0.1.example.org', 'login.example.org'].map(
    (OIDC_ISSUER): [NodeJS.ProcessEnv, string] => [
      { ...env, ...oidc, OIDC_ISSUER },
      'OIDC_ISSUER is not valid: an https:// URL is needed, or an http:// URL on loopback',
    ],
  ),
  [
    { ...env, ...oidc, OIDC_ISSUER: 'https://user:hunter2@login.example.org' },
    'OIDC_ISSUER is not valid: remove password, query and fragment',
  ],
];

test.each(refusals)(
  'a start is refused with each fault and without any secret: %#',
  (faulty, lines) => {
    expect(() => loadConfig(faulty)).toThrow(new StartError(lines));
  },
);
