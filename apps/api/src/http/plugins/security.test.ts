import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

const AWAY = 'postgres://nobody@127.0.0.1:1/none';
const origin = 'https://console.example.org';

test('every answer says that it is data: problems too', async () => {
  await using api = await startTestApi(AWAY);
  for (const url of ['/', '/projects', '/nowhere']) {
    const { headers } = await api.app.inject({ url });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.any(String),
    });
    expect(headers['x-powered-by']).toBeUndefined();
  }
});

test('pages of a listed origin may ask and read; those of others may not', async () => {
  const env = { CORS_ORIGINS: `${origin}, http://localhost:5173` };
  await using api = await startTestApi(AWAY, { env });
  const preflight = await api.app.inject({
    method: 'OPTIONS',
    url: '/projects',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });
  expect([preflight.statusCode, preflight.headers]).toMatchObject([
    204,
    {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
      'access-control-allow-headers': 'authorization,content-type,idempotency-key',
    },
  ]);
  const refused = await api.app.inject({ url: '/projects', headers: { origin } });
  expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([
    401,
    origin,
  ]);
  const foreign = await api.app.inject({ url: '/', headers: { origin: 'https://evil.example' } });
  expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
});

test('with no origin listed none is allowed, and a browser’s question is a request without a token', async () => {
  await using api = await startTestApi(AWAY);
  const headers = { origin, 'access-control-request-method': 'POST' };
  const answer = await api.app.inject({ method: 'OPTIONS', url: '/projects', headers });
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
    401,
    undefined,
  ]);
});

test('429 with Retry-After for more logins a minute than allowed; none is counted by default', async () => {
  await using limited = await startTestApi(AWAY, { env: { RATE_LIMIT_LOGIN_PER_MINUTE: '2' } });
  await using unlimited = await startTestApi(AWAY);
  // Its refusal costs no hash.
  const login = { method: 'POST', url: '/auth/login', payload: {} } as const;
  const statuses: number[] = [];
  for (const api of [limited, unlimited]) {
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await api.app.inject(login)).statusCode);
    }
  }
  expect(statuses).toEqual([400, 400, 429, 400, 400, 400]);
  const refused = await limited.app.inject(login);
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
  expect((await limited.app.inject({ url: '/' })).statusCode).toBe(200);
});

test('behind a trusted proxy logins are counted by the address that it tells; nobody else is believed', async () => {
  const env = { RATE_LIMIT_LOGIN_PER_MINUTE: '1', TRUSTED_PROXIES: '10.0.0.0/8, ::1' };
  await using api = await startTestApi(AWAY, { env });
  const logIn = async (remoteAddress: string, caller: string) => {
    const headers = { 'x-forwarded-for': caller };
    const login = { method: 'POST', url: '/auth/login', payload: {} } as const;
    return (await api.app.inject({ ...login, remoteAddress, headers })).statusCode;
  };
  expect([
    await logIn('10.1.2.3', '192.0.2.1'),
    await logIn('10.1.2.3', '192.0.2.2'),
    await logIn('10.1.2.3', '192.0.2.1'),
  ]).toEqual([400, 400, 429]);
  expect([
    await logIn('198.51.100.7', '192.0.2.3'),
    await logIn('198.51.100.7', '192.0.2.4'),
  ]).toEqual([400, 429]);
});
