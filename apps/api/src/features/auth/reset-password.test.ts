import * as db from '@session/db';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { newLinkSecret } from '../../http/links/link-secret.ts';

const NEXT = 'battery staple';

async function newLink({ deps }: TestApi, { email }: TestUser): Promise<string> {
  const { secret, secretHash } = newLinkSecret();
  expect(await db.upsertPasswordLink(deps.database, { email, secretHash })).toBe(true);
  return secret;
}

async function reset(
  { app }: TestApi,
  secret: string,
  password = NEXT,
  remoteAddress = '192.0.2.1',
) {
  const payload = { secret, password };
  return await app.inject({ method: 'POST', url: '/auth/reset-password', payload, remoteAddress });
}

async function statusOf(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/auth/me' })).statusCode;
}

async function logIn({ app }: TestApi, { email }: TestUser, password: string): Promise<number> {
  const payload = { email, password };
  return (await app.inject({ method: 'POST', url: '/auth/login', payload })).statusCode;
}

test('200 with a token; from then on former tokens and the former password get 401, from every API; the link works once', async ({
  api,
  ana,
  database,
}) => {
  await using other = await startTestApi(database.url);
  expect(await statusOf(other, ana)).toBe(200);
  const secret = await newLink(api, ana);
  const answer = await reset(api, secret);
  const { user, token } = answer.json();
  const { token: _token, ...account } = ana;
  expect([answer.statusCode, user]).toEqual([200, { ...account, createdAt: expect.any(String) }]);
  expect(await statusOf(api, ana)).toBe(401);
  await expect.poll(() => statusOf(other, ana)).toBe(401);
  for (const one of [api, other]) expect(await statusOf(one, { ...ana, token })).toBe(200);
  expect([await logIn(api, ana, TEST_PASSWORD), await logIn(api, ana, NEXT)]).toEqual([401, 200]);
  const again = await reset(other, secret, 'a third one');
  expect([again.statusCode, again.json().code]).toEqual([404, 'link_invalid']);
  const stored = await db.findUserByEmail(api.deps.database, ana.email);
  expect(stored?.loginNetworks).not.toEqual([]);
});

test('200 with a token even if the network cannot be remembered: the link is used up', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url, { connections: 1 });
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const reserved = answeredDatabase(own, (name) =>
    name === 'remember_login_network' ? Promise.reject(away) : undefined,
  );
  await using api = await startTestApi(database.url, { deps: { reserved } });
  const ana = await api.createUser();
  const answer = await reset(api, await newLink(api, ana));
  expect(answer.statusCode).toBe(200);
  expect(await statusOf(api, { ...ana, token: answer.json().token })).toBe(200);
});

test('400 for a password that is too short: the link stays', async ({ api, ana }) => {
  const secret = await newLink(api, ana);
  const short = await reset(api, secret, 'short');
  expect(short.json()).toMatchObject({ status: 400, errors: [{ path: 'body.password' }] });
  expect((await reset(api, secret)).statusCode).toBe(200);
});

test('an older link, an expired one and a wrong one get one answer, without hashing; after 20 a network gets 429', async ({
  database,
}) => {
  let hashed = 0;
  const turn = {
    hash: async () => {
      hashed += 1;
      return 'a hash';
    },
    matches: async () => false,
    [Symbol.dispose]: () => {},
  };
  const deps = { passwords: { length: 0, takeTurn: () => turn } };
  await using api = await startTestApi(database.url, { deps });
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const older = await newLink(api, ana);
  const newest = await newLink(api, ana);
  const expired = await newLink(api, ben);
  await api.deps.database
    .sql`update password_links set expires_at = now() - interval '1 s' where user_id = ${ben.id}`;
  const answers = [];
  for (const secret of [older, expired, `${newest}x`, 'x']) {
    const { statusCode, body } = await reset(api, secret);
    answers.push(`${statusCode} ${body.replace(/"requestId":"[^"]*"/, '')}`);
  }
  expect(new Set(answers).size).toBe(1);
  for (let count = answers.length; count < 20; count += 1) await reset(api, older);
  expect(hashed).toBe(0);
  const refused = await reset(api, newest);
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_requests']);
  expect((await reset(api, newest, NEXT, '192.0.2.2')).statusCode).toBe(200);
  expect(hashed).toBe(1);
});
