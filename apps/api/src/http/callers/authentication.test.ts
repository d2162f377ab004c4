import { createHmac } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { InjectOptions } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, vi } from 'vitest';
import type { TestApi } from '../../../testing/api.ts';
import { apiTest, apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const DAY_SECONDS = 86_400;

test('401 without a token for every route but the public ones, and for every unknown path', async ({
  api,
}) => {
  const routes = api.routes.flatMap(({ method, url, config }) =>
    [method].flat().map((verb) => ({ verb, url, isPublic: config?.public === true })),
  );
  const open = routes.filter(({ isPublic }) => isPublic);
  for (const { verb, url } of routes.filter(({ isPublic }) => !isPublic)) {
    expect([verb, url, await statusOf(api, verb, url)]).toEqual([verb, url, 401]);
  }
  // Fastify answers HEAD wherever it answers GET.
  const passwords = ['login', 'signup', 'forgotten', 'reset-password'];
  const signIn = [...passwords, 'provider/start', 'provider/finish'];
  const posts = ['/invitations/look', ...signIn.map((path) => `/auth/${path}`)];
  const gets = ['/', '/auth/methods', '/health'].flatMap((url) => [`GET ${url}`, `HEAD ${url}`]);
  expect(open.map(({ verb, url }) => `${verb} ${url}`).toSorted()).toEqual(
    [...posts.map((url) => `POST ${url}`), ...gets].toSorted(),
  );
  expect(await statusOf(api, 'GET', '/nowhere')).toBe(401);
  expect(await statusOf(api, 'DELETE', '/health')).toBe(401);
});

apiTest('a token is valid for seven days, also when it was verified before', async ({ api }) => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T08:00:00Z') });
  const ana = await api.createUser();
  const read = async () => (await api.inject(ana, { url: '/auth/me' })).statusCode;
  expect(await read()).toBe(200);
  vi.setSystemTime('2026-11-28T07:59:59Z');
  expect(await read()).toBe(200);
  vi.setSystemTime('2026-11-28T08:00:01Z');
  expect(await read()).toBe(401);
});

const header = { alg: 'HS256', typ: 'JWT' };
const secret = 'a secret of the tests, 32 bytes or more';
const nowSeconds = Math.floor(Date.now() / 1000);
const claims = {
  sub: uuidv7(),
  iss: 'session-service',
  aud: 'session-service-api',
  iat: nowSeconds,
  exp: nowSeconds + DAY_SECONDS,
};

test.for<[string, string]>([
  ['algorithm none', forge({ alg: 'none', typ: 'JWT' }, claims, undefined)],
  ['algorithm none with a signature', forge({ alg: 'none', typ: 'JWT' }, claims, secret)],
  ['no signature', forge(header, claims, undefined)],
  ['another secret', forge(header, claims, 'another secret, which nobody uses here')],
  [
    'another algorithm of the same secret',
    forge({ ...header, alg: 'HS512' }, claims, secret, 'sha512'),
  ],
  [
    'a room token of the media server',
    forge(header, roomClaims(), 'another secret of the tests, of 32 bytes or more'),
  ],
  ['a room token under our secret', forge(header, roomClaims(), secret)],
  ['an expired one', forge(header, { ...claims, exp: nowSeconds - 1 }, secret)],
  [
    'one that is older than tokens last now, though it was issued for longer',
    forge(header, { ...claims, iat: nowSeconds - 7 * DAY_SECONDS - 1 }, secret),
  ],
  ['another issuer', forge(header, { ...claims, iss: 'another-service' }, secret)],
  ['another audience', forge(header, { ...claims, aud: 'another-service' }, secret)],
  ...Object.keys(claims).map((name): [string, string] => [
    `no ${name}`,
    forge(header, { ...claims, [name]: undefined }, secret),
  ]),
  ['an end that is no number', forge(header, { ...claims, exp: 'never' }, secret)],
  ['a subject that is no user id', forge(header, { ...claims, sub: 'ana' }, secret)],
  ['a changed claim', forge(header, claims, secret).replace(/\.(.)/, (dot) => `${dot}A`)],
  ['no token', 'nonsense'],
  ['two tokens', `${forge(header, claims, secret)} ${forge(header, claims, secret)}`],
])('401 for %s', async ([, token], { api }) => {
  const headers = { authorization: `Bearer ${token}` };
  const refused = await api.app.inject({ url: '/auth/me', headers });
  expect([refused.statusCode, refused.json().code]).toEqual([401, 'unauthorized']);
});

test('the tokens above are refused for their faults: the same token without a fault is accepted', async ({
  api,
}) => {
  const headers = { authorization: `bearer ${forge(header, claims, secret)}` };
  expect((await api.app.inject({ url: '/auth/me', headers })).statusCode).toBe(503);
});

const rotatedTest = test.extend('options', () => ({
  env: { JWT_SECRET: 'the next secret, of 32 bytes or more', JWT_SECRET_PREVIOUS: secret },
}));

rotatedTest(
  'after a change of the secret the former one verifies tokens until they expire, and signs none',
  async ({ api }) => {
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await api.app.inject({ url: '/auth/me', headers })).statusCode;
    };
    // 503: the token is accepted, and then there is no database.
    expect(await ask(forge(header, claims, secret))).toBe(503);
    expect(await ask(forge(header, claims, 'the next secret, of 32 bytes or more'))).toBe(503);
    expect(await ask(forge(header, { ...claims, exp: nowSeconds - 1 }, secret))).toBe(401);
    expect(await ask(forge(header, roomClaims(), secret))).toBe(401);
    expect(await ask(forge(header, claims, 'another secret, which nobody uses here'))).toBe(401);
    const [head, body, signature] = api.app.jwt.sign({ sub: uuidv7() }).split('.');
    const signed = createHmac('sha256', 'the next secret, of 32 bytes or more');
    expect(signed.update(`${head}.${body}`).digest('base64url')).toBe(signature);
  },
);

const logStream = new PassThrough();
const configuredTest = test.extend('options', () => ({ logStream }));

configuredTest(
  'the log has the reason why a token is refused, but not the token',
  async ({ api }) => {
    const logged = text(logStream);
    const token = forge(header, { ...claims, exp: nowSeconds - 1 }, secret);
    const headers = { authorization: `Bearer ${token}` };
    await api.app.inject({ url: '/auth/me', headers });
    await api.app.close();
    logStream.end();
    const log = await logged;
    expect(log).toContain('the token is refused: The token has expired');
    expect(log).not.toContain(token.split('.')[1]);
  },
);

apiTest(
  '401 from every route for a valid token of a user who no longer exists',
  async ({ api }) => {
    const token = api.app.jwt.sign({ sub: uuidv7() });
    const gone = { ...(await api.createUser()), token };
    const answers = [];
    for (const url of ['/auth/me', '/projects', `/projects/${uuidv7()}`]) {
      answers.push((await api.inject(gone, { url })).statusCode);
    }
    const payload = { name: 'orphan' };
    answers.push(
      (await api.inject(gone, { method: 'POST', url: '/projects', payload })).statusCode,
    );
    expect(answers).toEqual([401, 401, 401, 401]);
  },
);

async function statusOf(api: TestApi, method: string, url: string): Promise<number> {
  // The type of `inject` has fewer methods than Fastify.
  const request: InjectOptions = Object.assign({ url }, { method });
  return (await api.app.inject(request)).statusCode;
}

function roomClaims(): object {
  const video = { room: uuidv7(), roomJoin: true };
  return { ...claims, iss: 'key', aud: undefined, sub: 'user-1', video };
}

/** Returns a token with exactly these parts; without a `key` it is not signed. */
function forge(head: object, body: object, key: string | undefined, hash = 'sha256'): string {
  const input = [head, body]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${input}.${key ? createHmac(hash, key).update(input).digest('base64url') : ''}`;
}
