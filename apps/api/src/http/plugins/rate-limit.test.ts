import { expect } from 'vitest';
import { startTestApi, type TestApi } from '../../../testing/api.ts';
import { ownApiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';
// A refused login costs no hash.
const login = { method: 'POST', url: '/auth/login', payload: {} } as const;

const configuredTest = test.extend('options', () => ({
  env: { RATE_LIMIT_LOGIN_PER_MINUTE: '2', RATE_LIMIT_SIGNUP_PER_MINUTE: '2' },
}));

configuredTest('429 with Retry-After for more logins a minute than allowed', async ({ api }) => {
  expect(await statusesOf(api)).toEqual([400, 400, 429]);
  const refused = await api.app.inject(login);
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
  expect((await api.app.inject({ url: '/' })).statusCode).toBe(200);
});

test('by default 30 logins and 10 sign-ups a minute, and the answers tell how many are left', async ({
  api,
}) => {
  for (const [url, limit] of [
    ['/auth/login', 30],
    ['/auth/signup', 10],
  ] as const) {
    for (let left = limit - 1; left >= 0; left -= 1) {
      const { statusCode, headers } = await api.app.inject({ ...login, url });
      expect([statusCode, Number(headers['ratelimit-remaining'])]).toEqual([400, left]);
    }
    const refused = await api.app.inject({ ...login, url });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': refused.headers['retry-after'],
    });
  }
});

test('0 means no limit', async () => {
  const env = { RATE_LIMIT_LOGIN_PER_MINUTE: '0' };
  await using api = await startTestApi(UNREACHABLE, { env });
  const statuses: number[] = [];
  for (let count = 0; count < 31; count += 1) {
    const { statusCode, headers } = await api.app.inject(login);
    statuses.push(statusCode);
    expect(headers).not.toHaveProperty('ratelimit-limit');
  }
  expect(statuses).toEqual(Array(31).fill(400));
});

const proxiedTest = test.extend('options', () => ({
  env: { RATE_LIMIT_LOGIN_PER_MINUTE: '1', TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
}));

proxiedTest(
  'behind a trusted proxy logins are counted by the address that the proxy sends; other senders are not believed',
  async ({ api }) => {
    const logIn = async (remoteAddress: string, caller: string) => {
      const headers = { 'x-forwarded-for': caller };
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
  },
);

configuredTest.for(['/auth/login', '/auth/signup'])(
  'POST %s: an IPv6 address counts by its /64, and an IPv4 address for itself, however it is written',
  async (url, { api }) => {
    const ask = async (remoteAddress: string) =>
      (await api.app.inject({ ...login, url, remoteAddress })).statusCode;
    expect([
      await ask('2001:db8:0:1::1'),
      await ask('2001:db8:0:1::2'),
      await ask('2001:db8:0:1:ffff:ffff:ffff:ffff'),
      await ask('2001:db8:0:2::1'),
    ]).toEqual([400, 400, 429, 400]);
    expect([
      await ask('192.0.2.2'),
      await ask('::ffff:192.0.2.2'),
      await ask('192.0.2.2'),
      await ask('192.0.2.1'),
    ]).toEqual([400, 400, 429, 400]);
  },
);

configuredTest('logins and sign-ups of one address are counted apart', async ({ api }) => {
  expect(await statusesOf(api)).toEqual([400, 400, 429]);
  expect((await api.app.inject({ ...login, url: '/auth/signup' })).statusCode).toBe(400);
});

async function statusesOf({ app }: TestApi): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await app.inject(login)).statusCode);
  return statuses;
}
