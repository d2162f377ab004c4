import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

const AWAY = 'postgres://nobody@127.0.0.1:1/none';

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
