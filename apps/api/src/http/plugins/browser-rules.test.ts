import { expect } from 'vitest';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const origin = 'https://console.example.org';
const configuredTest = test.extend('options', () => ({
  env: { CORS_ORIGINS: `${origin}, http://localhost:*` },
}));

test('every answer says that it is data, including problems', async ({ api }) => {
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

configuredTest(
  'pages of a listed origin may send requests and read answers; pages of other origins may not',
  async ({ api }) => {
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
    expect(refused.headers['access-control-expose-headers']).toMatch(/^etag, /);
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([
      401,
      origin,
    ]);
    const allowed = async (from: string) =>
      (await api.app.inject({ url: '/', headers: { origin: from } })).headers[
        'access-control-allow-origin'
      ];
    for (const from of ['http://localhost', 'http://localhost:5173']) {
      expect(await allowed(from)).toBe(from);
    }
    for (const from of [
      'https://evil.example',
      'http://localhost:1.evil.example',
      'http://localhost.evil.example:80',
      'https://localhost:5173',
      'http://localhost:',
    ]) {
      expect([from, await allowed(from)]).toEqual([from, undefined]);
    }
  },
);

test('without listed origins no origin is allowed, and a preflight is a request without a token', async ({
  api,
}) => {
  const headers = { origin, 'access-control-request-method': 'POST' };
  const answer = await api.app.inject({ method: 'OPTIONS', url: '/projects', headers });
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
    401,
    undefined,
  ]);
});
