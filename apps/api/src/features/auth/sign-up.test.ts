import * as db from '@session/db';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTestWithoutDatabase, apiTest as test } from '../../../testing/api-test.ts';
import { openPasswordHasher } from './password-hasher.ts';

const post = { method: 'POST', url: '/auth/signup' } as const;
const ana = { email: 'ana@example.org', password: 'correct horse', name: 'Ana' };

test('201 with the user and a token for this user; the password is stored as a hash of 12 rounds', async ({
  database,
}) => {
  await using passwords = openPasswordHasher();
  await using api = await startTestApi(database.url, { deps: { passwords } });
  const payload = { ...ana, email: ' Ana@Example.ORG ', name: ' Ana ' };
  const created = await api.app.inject({ ...post, payload });
  const { user, token } = created.json();
  expect([created.statusCode, user]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      email: 'ana@example.org',
      name: 'Ana',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ]);
  const url = String(created.headers.location);
  const me = await api.inject({ ...user, token }, { url });
  expect(me.json()).toEqual({ ...user, projectMemberships: [] });
  const stored = await db.findUserByEmail(api.deps.database, user.email);
  expect(stored?.passwordHash).toMatch(/^\$2[ab]\$12\$/);
});

test('409 for all but one of simultaneous sign-ups with one address, however it is written', async ({
  api,
}) => {
  const written = ['bea@example.org', 'BEA@example.org', ' bea@example.org'];
  const answers = await Promise.all(
    written.map((email) => api.app.inject({ ...post, payload: { ...ana, email } })),
  );
  const refusals = answers.filter(({ statusCode }) => statusCode !== 201);
  expect(refusals.map((refused) => refused.json())).toMatchObject([
    { status: 409, code: 'email_taken' },
    { status: 409, code: 'email_taken' },
  ]);
});

test('503 with Retry-After when too many passwords wait to be hashed', async ({ database }) => {
  await using passwords = openPasswordHasher(1, 0);
  await using api = await startTestApi(database.url, { deps: { passwords } });
  const answers = await Promise.all(
    ['one@example.org', 'two@example.org'].map((email) =>
      api.app.inject({ ...post, payload: { ...ana, email } }),
    ),
  );
  const refusals = answers.filter(({ statusCode }) => statusCode !== 201);
  expect(refusals).toMatchObject([{ statusCode: 503, headers: { 'retry-after': '1' } }]);
  expect(refusals[0]?.json()).toMatchObject({ code: 'overloaded' });
});

apiTestWithoutDatabase.for<[string, string, string]>([
  ['of 7 characters', 'x'.repeat(7), 'too_small'],
  ['of 73 bytes', 'x'.repeat(73), 'custom'],
  ['of 25 characters in 75 bytes', '€'.repeat(25), 'custom'],
])('400 for a password %s', async ([, password, code], { api }) => {
  const refused = await api.app.inject({ ...post, payload: { ...ana, password } });
  expect(refused.json()).toMatchObject({
    status: 400,
    code: 'invalid_request',
    errors: [{ path: 'body.password', code }],
  });
});

test('201 for a password of exactly 72 bytes, and of 8 characters', async ({ api }) => {
  for (const password of ['€'.repeat(24), 'x'.repeat(8)]) {
    const payload = { ...ana, email: `${password.length}@example.org`, password };
    expect((await api.app.inject({ ...post, payload })).statusCode).toBe(201);
  }
});
