import * as db from '@session/db';
import { startTestProvider } from '@session/testing/identity-provider';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD } from '../../../testing/api.ts';
import { apiTestWithoutDatabase } from '../../../testing/api-test.ts';
import {
  comeBack,
  finish,
  newPerson,
  signIn,
  providerTest as test,
} from '../../../testing/provider-test.ts';
import { openSignIn, sealSignIn } from './sign-in-handle.ts';

const MINUTES = 60_000;
const FAILED = { status: 401, body: { code: 'sign_in_failed' } };

test('200 with a new account, which has the address and the name of the provider, and no password', async ({
  api,
  provider,
  ada,
}) => {
  const { status, body } = await signIn(api, provider, ada);
  expect([status, body.user]).toMatchObject([200, { email: ada.email, name: 'Ada' }]);
  const me = await api.inject({ ...body.user, token: body.token }, { url: '/auth/me' });
  expect(me.json()).toMatchObject(body.user);
  const payload = { email: ada.email, password: TEST_PASSWORD };
  const login = await api.app.inject({ method: 'POST', url: '/auth/login', payload });
  expect(login.json().code).toBe('invalid_credentials');
});

test('200 with the same account at each sign-in, whatever the provider says of name and address later', async ({
  api,
  provider,
  ada,
}) => {
  const first = await signIn(api, provider, ada);
  const later = { email: `next-${ada.email}`, email_verified: false, name: 'Ada L.' };
  provider.people.set(ada.sub, later);
  const second = await signIn(api, provider, ada);
  expect([second.status, second.body.user]).toEqual([200, first.body.user]);
});

test('a person takes over the account with their address: its password and its tokens end, its projects stay', async ({
  api,
  provider,
  ana,
  database,
}) => {
  await using other = await startTestApi(database.url, { env: provider.env });
  await other.app.ready();
  const projectId = await api.createProject(ana);
  const person = newPerson(provider, 'Ana of the company');
  provider.people.set(person.sub, { ...person, email: ana.email.toUpperCase() });
  const { body } = await signIn(api, provider, person);
  expect(body.user).toMatchObject({ id: ana.id, email: ana.email, name: ana.name });
  expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(401);
  await expect
    .poll(async () => (await other.inject(ana, { url: '/auth/me' })).statusCode)
    .toBe(401);
  const owner = { ...ana, token: body.token };
  expect((await api.inject(owner, { url: `/projects/${projectId}` })).statusCode).toBe(200);
  const payload = { email: ana.email, password: TEST_PASSWORD };
  const login = await api.app.inject({ method: 'POST', url: '/auth/login', payload });
  expect(login.json().code).toBe('invalid_credentials');
  // Only the first sign-in ends tokens.
  await signIn(api, provider, person);
  expect((await api.inject(owner, { url: '/auth/me' })).statusCode).toBe(200);
});

test.for([
  ['false', { email_verified: false }],
  ['absent', { email_verified: undefined }],
  ['of no address', { email: undefined }],
  ['of an invalid address', { email: 'ada' }],
] as const)(
  '403 when the verification of the address is %s, and no account is made or taken over',
  async ([, claims], { api, provider, ana }) => {
    const person = newPerson(provider);
    provider.people.set(person.sub, { ...person, email: ana.email, ...claims });
    const { status, body } = await signIn(api, provider, person);
    expect([status, body.code]).toEqual([403, 'email_unverified']);
    expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(200);
  },
);

test.for([[[]], [['email']], [['email', 'email_verified']]] as const)(
  '200 when the identity token holds %j, and the answer about the user the rest',
  async ([inToken], { database }) => {
    await using provider = await startTestProvider({ inToken });
    const ada = newPerson(provider);
    await using api = await startTestApi(database.url, { env: provider.env });
    const { status, body } = await signIn(api, provider, ada);
    expect([status, body.user]).toMatchObject([200, { email: ada.email }]);
    expect(provider.asked.includes('/me')).toBe(inToken.length < 2);
    const eve = newPerson(provider);
    provider.people.set(eve.sub, { ...eve, email_verified: false });
    expect((await signIn(api, provider, eve)).body.code).toBe('email_unverified');
  },
);

test.for([
  ['unauthorized_client', 503, 'provider_unavailable'],
  ['invalid_grant', 401, 'sign_in_failed'],
  ['invalid_request', 401, 'sign_in_failed'],
  ['unsupported_grant_type', 401, 'sign_in_failed'],
  ['temporarily_unavailable', 401, 'sign_in_failed'],
] as const)(
  'the provider refuses the code with %s: %i %s',
  async ([refusal, status, code], { database }) => {
    await using provider = await startTestProvider();
    await using api = await startTestApi(database.url, { env: provider.env });
    const back = await comeBack(api, provider, newPerson(provider));
    provider.refusal = refusal;
    const answer = await finish(api, back);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.detail).not.toContain(back.code);
  },
);

test('409 for the address of an account that has another identity', async ({
  api,
  provider,
  ada,
}) => {
  await signIn(api, provider, ada);
  const other = newPerson(provider);
  provider.people.set(other.sub, { ...other, email: ada.email });
  const { status, body } = await signIn(api, provider, other);
  expect([status, body.code]).toEqual([409, 'account_linked']);
});

test('401 for a code that was used', async ({ api, provider, ada }) => {
  const back = await comeBack(api, provider, ada);
  expect((await finish(api, back)).status).toBe(200);
  expect(await finish(api, back)).toMatchObject(FAILED);
});

test('of two requests with one code at most one gets a token', async ({ api, provider, ada }) => {
  const back = await comeBack(api, provider, ada);
  const statuses = await Promise.all([finish(api, back), finish(api, back)]);
  expect(statuses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
});

test.for(['state', 'nonce', 'verifier'] as const)(
  '401 when the %s is not that of the beginning',
  async (name, { api, provider, ada }) => {
    const back = await comeBack(api, provider, ada);
    const secrets = openSignIn(api.deps, back.handle);
    const others = openSignIn(api.deps, (await comeBack(api, provider, ada)).handle);
    const handle = sealSignIn(api.deps, { ...secrets, [name]: others[name] });
    expect(await finish(api, { ...back, handle })).toMatchObject(FAILED);
  },
);

test('401 for the handle of another sign-in, for a changed one, and for that of a foreign service', async ({
  api,
  provider,
  ada,
  database,
}) => {
  const back = await comeBack(api, provider, ada);
  const { handle } = await comeBack(api, provider, ada);
  expect(await finish(api, { ...back, handle })).toMatchObject(FAILED);
  const changed = back.handle.replace(/.{4}$/, 'AAAA');
  for (const wrong of [changed, 'x', '..', back.handle.split('.').slice(0, 2).join('.')]) {
    expect(await finish(api, { ...back, handle: wrong })).toMatchObject(FAILED);
  }
  const env = { ...provider.env, JWT_SECRET: 'that of a foreign service, of 32 bytes' };
  await using foreign = await startTestApi(database.url, { env });
  expect(await finish(foreign, back)).toMatchObject(FAILED);
  expect((await finish(api, back)).status).toBe(200);
});

test('401 ten minutes after the beginning, and 200 just before', async ({
  database,
  provider,
  ada,
}) => {
  let now = Date.now();
  await using api = await startTestApi(database.url, {
    env: provider.env,
    deps: { now: () => now },
  });
  const [late, inTime] = [await comeBack(api, provider, ada), await comeBack(api, provider, ada)];
  now += 10 * MINUTES - 1;
  expect((await finish(api, inTime)).status).toBe(200);
  now += 1;
  expect(await finish(api, late)).toMatchObject(FAILED);
});

test('a sign-in that begins at one API ends at another, also while the secret changes', async ({
  database,
  provider,
  ada,
}) => {
  const [old, next] = [
    'the old secret, of 32 bytes or more',
    'the next secret, of 32 bytes or more',
  ];
  const before = { ...provider.env, JWT_SECRET: old, JWT_SECRET_PREVIOUS: next };
  const after = { ...provider.env, JWT_SECRET: next, JWT_SECRET_PREVIOUS: old };
  await using one = await startTestApi(database.url, { env: before });
  await using other = await startTestApi(database.url, { env: after });
  expect((await finish(other, await comeBack(one, provider, ada))).status).toBe(200);
  expect((await finish(one, await comeBack(other, provider, ada))).status).toBe(200);
});

test.for(['new', 'known by a password'])(
  'several first sign-ins at once at two APIs lead to one account, of an address that is %s',
  async (kind, { api, database, provider, ada }) => {
    await using other = await startTestApi(database.url, { env: provider.env });
    const made = { id: uuidv7(), email: ada.email, name: 'Ada', passwordHash: 'hash' };
    if (kind !== 'new') await db.insertUser(api.deps.database, made);
    const apis = [api, other, api, other];
    const back = await Promise.all(
      apis.map(async (one) => [one, await comeBack(one, provider, ada)] as const),
    );
    const ends = await Promise.all(back.map(([one, payload]) => finish(one, payload)));
    const [id] = ends.map(({ body }) => body.user?.id);
    expect(ends).toMatchObject(ends.map(() => ({ status: 200, body: { user: { id } } })));
    for (const { body } of ends) {
      const me = await other.inject({ ...body.user, token: body.token }, { url: '/auth/me' });
      expect(me.statusCode).toBe(200);
    }
    expect(id === made.id).toBe(kind !== 'new');
  },
);

test('503 while the provider is away', async ({ database }) => {
  const provider = await startTestProvider();
  const ada = newPerson(provider);
  await using api = await startTestApi(database.url, { env: provider.env });
  const back = await comeBack(api, provider, ada);
  await provider[Symbol.asyncDispose]();
  const { status, body } = await finish(api, back);
  expect([status, body.code]).toEqual([503, 'provider_unavailable']);
});

test('503 with what the operator must look at, when the provider refuses the secret of this service', async ({
  database,
  provider,
  ada,
}) => {
  const env = { ...provider.env, OIDC_CLIENT_SECRET: 'a wrong one' };
  await using api = await startTestApi(database.url, { env });
  const { status, body } = await signIn(api, provider, ada);
  expect([status, body.code]).toEqual([503, 'provider_unavailable']);
  expect(body.detail).toContain('OIDC_CLIENT_SECRET');
});

test('neither addresses nor secrets are in the log, of sign-ins that end and of those that fail', async ({
  database,
  provider,
  ada,
}) => {
  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  await using api = await startTestApi(database.url, { env: provider.env, logStream });
  const back = await comeBack(api, provider, ada);
  const secrets = openSignIn(api.deps, back.handle);
  const wrong = sealSignIn(api.deps, { ...secrets, nonce: 'another' });
  await finish(api, { ...(await comeBack(api, provider, ada)), handle: wrong });
  const { body } = await finish(api, back);
  await finish(api, back);
  const eve = newPerson(provider, 'Eve');
  provider.people.set(eve.sub, { ...eve, email_verified: false });
  expect((await signIn(api, provider, eve)).body.code).toBe('email_unverified');
  const log = lines.join('');
  expect(log).toContain('sign_in_failed');
  expect(log).toContain('email_unverified');
  const { state, nonce, verifier } = secrets;
  const texts = [
    ada.email,
    ada.sub,
    eve.email,
    eve.sub,
    body.token,
    back.code,
    back.handle,
    state,
    nonce,
    verifier,
  ];
  texts.push(provider.env['OIDC_CLIENT_SECRET'] ?? '');
  for (const text of texts) expect(log).not.toContain(text);
});

apiTestWithoutDatabase('404 without a provider', async ({ api }) => {
  const { status, body } = await finish(api, { handle: 'a', code: 'b', state: 'c' });
  expect([status, body.code]).toEqual([404, 'not_found']);
});
