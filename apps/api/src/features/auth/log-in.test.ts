import * as db from '@session/db';
import { getRounds } from 'bcryptjs';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { startTestApi, TEST_PASSWORD } from '../../../testing/api.ts';
import { apiTestWithoutDatabase, apiTest as test } from '../../../testing/api-test.ts';
import { type HashingTurn, openPasswordHasher, type PasswordHasher } from './password-hasher.ts';

const post = { method: 'POST', url: '/auth/login' } as const;

/** The hash of a password as sign-ups store it. */
const STORED_HASH = '$2b$12$Ub24JOXhyoOmTBp0rj3IhO8EelwimTT8dIoeZAk1TsoSi.aV1H5Q2';

/** A hand-written hasher, which has a turn for every request. */
function matchedBy(matches: HashingTurn['matches']): PasswordHasher {
  const hash = vi.fn<HashingTurn['hash']>();
  return { length: 0, takeTurn: () => ({ hash, matches, [Symbol.dispose]: () => {} }) };
}

test('200 with the user and a token for this user, however the e-mail address is written', async ({
  api,
}) => {
  const { token: _token, ...ana } = await api.createUser();
  const payload = { email: ` ${ana.email.toUpperCase()}`, password: TEST_PASSWORD };
  const answer = await api.app.inject({ ...post, payload });
  const { user, token } = answer.json();
  expect([answer.statusCode, user]).toEqual([200, { ...ana, createdAt: expect.any(String) }]);
  const me = await api.inject({ ...ana, token }, { url: '/auth/me' });
  expect(me.json()).toMatchObject(user);
});

test('401 for a wrong password and for an unknown address, with the same problem', async ({
  api,
}) => {
  const { email } = await api.createUser();
  const problems = [];
  for (const address of [email, 'nobody@example.org']) {
    const payload = { email: address, password: 'incorrect horse' };
    const { requestId: _id, ...problem } = (await api.app.inject({ ...post, payload })).json();
    problems.push(problem);
  }
  expect(problems[0]).toMatchObject({ status: 401, code: 'invalid_credentials' });
  expect(problems[1]).toEqual(problems[0]);
});

test('401 for an unknown address after the same work as for a known one, so that the time reveals nothing', async ({
  database,
}) => {
  const hashes: string[] = [];
  const passwords = matchedBy(async (_password, hashed) => hashes.push(hashed) < 0);
  await using api = await startTestApi(database.url, { deps: { passwords } });
  const email = 'known@example.org';
  await db.insertUser(api.deps.database, {
    id: uuidv7(),
    email,
    name: 'Known',
    passwordHash: STORED_HASH,
  });
  for (const address of [email, 'nobody@example.org']) {
    const payload = { email: address, password: TEST_PASSWORD };
    expect((await api.app.inject({ ...post, payload })).statusCode).toBe(401);
  }
  expect(hashes.map(getRounds)).toEqual([12, 12]);
  expect(new Set(hashes.map(({ length }) => length))).toEqual(new Set([60]));
});

test('401 for an unknown address even when every password matches', async ({ database }) => {
  const passwords = matchedBy(() => Promise.resolve(true));
  await using api = await startTestApi(database.url, { deps: { passwords } });
  const payload = { email: 'nobody@example.org', password: TEST_PASSWORD };
  expect((await api.app.inject({ ...post, payload })).statusCode).toBe(401);
});

apiTestWithoutDatabase(
  '400 for a password that bcrypt would truncate to the right one',
  async ({ api }) => {
    const payload = { email: 'ana@example.org', password: 'x'.repeat(73) };
    const refused = await api.app.inject({ ...post, payload });
    expect(refused.json()).toMatchObject({ status: 400, errors: [{ path: 'body.password' }] });
  },
);

test('503 for a login while all turns are in use', async ({ database }) => {
  await using passwords = openPasswordHasher(1, 0);
  await using api = await startTestApi(database.url, { deps: { passwords } });
  const payload = { email: 'ana@example.org', password: TEST_PASSWORD };
  const turn = passwords.takeTurn('logIn', '192.0.2.1');
  const refused = await api.app.inject({ ...post, payload });
  expect(refused.json()).toMatchObject({ status: 503, code: 'overloaded' });
  expect(refused.headers['retry-after']).toBe('1');
  turn[Symbol.dispose]();
  expect((await api.app.inject({ ...post, payload })).statusCode).toBe(401);
  expect(passwords.length).toBe(0);
});

test('200 with a token of the newest version, after earlier tokens were ended', async ({
  api,
  ana,
}) => {
  await db.endTokens(api.deps.database, ana.id);
  await expect.poll(async () => (await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(401);
  const payload = { email: ana.email, password: TEST_PASSWORD };
  const { token } = (await api.app.inject({ ...post, payload })).json();
  expect((await api.inject({ ...ana, token }, { url: '/auth/me' })).statusCode).toBe(200);
});
