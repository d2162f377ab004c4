import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('201 with the secret, which opens the project and is shown never again', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}/api-keys`;
  const answer = await api.inject(ana, { method: 'POST', url, payload: { name: ' Backend ' } });
  expect(answer.statusCode).toBe(201);
  expect(answer.headers['cache-control']).toBe('no-store');
  const { secret, ...key } = answer.json();
  expect(key).toEqual({
    id: expect.any(String),
    projectId,
    name: 'Backend',
    role: 'MEMBER',
    prefix: secret.slice(0, 19),
    createdBy: ana.id,
    createdAt: expect.any(String),
    expiresAt: null,
    lastUsedAt: null,
  });
  const list = (await api.inject(ana, { url })).json();
  expect(list).toEqual({ items: [key], nextCursor: null });
  const project = await api.inject({ ...ana, token: secret }, { url: `/projects/${projectId}` });
  expect([project.statusCode, project.json().memberships]).toEqual([200, []]);
  const members = await api.inject(ana, { url: `/projects/${projectId}/members` });
  expect(members.json().items).toHaveLength(1);
});

test('a key speaks, and joins rooms, under its name', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const payload = { name: 'by a key' };
  const made = await api.inject(key, {
    method: 'POST',
    url: `/projects/${projectId}/sessions`,
    payload,
  });
  expect([made.statusCode, made.json().createdBy]).toEqual([201, key.id]);
  const url = `/sessions/${made.json().id}/token`;
  const token = await api.inject(key, { method: 'POST', url, payload: {} });
  expect(token.json().participantIdentity).toMatch(new RegExp(`^user-${key.id}-`));
});

test('400 for an end in the past, an unknown role or an unknown field', async ({ api, ana }) => {
  const url = `/projects/${await api.createProject(ana)}/api-keys`;
  for (const more of [{ expiresAt: '2020-01-01T00:00:00Z' }, { role: 'OWNER' }, { scope: 'all' }]) {
    const payload = { name: 'Backend', ...more };
    const refused = await api.inject(ana, { method: 'POST', url, payload });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
  }
});

test('an ADMIN creates keys for a MEMBER only, an OWNER for an ADMIN too; 409 for the 21st key', async ({
  api,
  ana,
}) => {
  const admin = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[admin, 'ADMIN']]);
  const create = async (user: TestUser, role: string) => {
    const url = `/projects/${projectId}/api-keys`;
    const answer = await api.inject(user, { method: 'POST', url, payload: { name: 'k', role } });
    return answer.statusCode < 300 ? 201 : answer.json().code;
  };
  expect(await create(admin, 'ADMIN')).toBe('forbidden');
  expect(await create(admin, 'MEMBER')).toBe(201);
  expect(await create(ana, 'ADMIN')).toBe(201);
  for (let count = 2; count < 20; count += 1) expect(await create(admin, 'MEMBER')).toBe(201);
  expect(await create(ana, 'MEMBER')).toBe('key_capacity');
});

test('both secrets of a rotated key are valid, with keepOldHours 0 the new one only; an expired key is not rotated', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const rotate = async (payload: object) => {
    const url = `/api-keys/${key.id}/rotate`;
    return await api.inject(ana, { method: 'POST', url, payload });
  };
  const second = (await rotate({})).json();
  expect(second).toMatchObject({ id: key.id, prefix: second.secret.slice(0, 19) });
  expect(await read(api, key)).toBe(200);
  expect(await read(api, { ...key, token: second.secret })).toBe(200);
  const third = (await rotate({ keepOldHours: 0 })).json();
  const statuses = async () => [
    await read(api, key),
    await read(api, { ...key, token: second.secret }),
  ];
  await expect.poll(statuses).toEqual([401, 401]);
  expect(await read(api, { ...key, token: third.secret })).toBe(200);
  await api.deps.database.sql`update api_keys set expires_at = now()`;
  expect((await rotate({})).json().code).toBe('conflict');
});

test('a deleted key is refused by every API of the service', async ({ api, ana, databaseUrl }) => {
  await using other = await startTestApi(databaseUrl);
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  expect([await read(api, key), await read(other, key)]).toEqual([200, 200]);
  const url = `/api-keys/${key.id}`;
  expect((await api.inject(ana, { method: 'DELETE', url })).statusCode).toBe(204);
  // The membership is gone with the answer, so nothing of the project is open any more.
  const project = { url: `/projects/${projectId}` };
  expect((await other.inject(key, project)).statusCode).toBeGreaterThanOrEqual(401);
  await expect.poll(async () => [await read(api, key), await read(other, key)]).toEqual([401, 401]);
  expect((await api.inject(ana, { method: 'DELETE', url })).statusCode).toBe(404);
});

test('wrong keys are not told apart; after 20 in a minute a network has to wait, but for the keys it has used', async ({
  api,
  ana,
}) => {
  const remoteAddress = '192.0.2.7';
  const projectId = await api.createProject(ana);
  const [key, unused] = [await api.createKey(projectId), await api.createKey(projectId)];
  const ask = async ({ token }: TestUser) =>
    await api.inject({ ...key, token }, { url: '/projects', remoteAddress });
  expect((await ask(key)).statusCode).toBe(200);
  const wrong = [
    'ck_',
    `${key.token.slice(0, -1)}${key.token.endsWith('a') ? 'b' : 'a'}`,
    `${key.token.slice(0, 20)}${unused.token.slice(20)}`,
  ];
  const problems = new Set<string>();
  for (let count = 0; count < 20; count += 1) {
    const answer = await ask({ ...key, token: wrong[count % wrong.length] ?? '' });
    const { requestId: _id, ...problem } = answer.json();
    problems.add(JSON.stringify(problem));
  }
  expect(problems.size).toBe(1);
  expect([...problems][0]).toContain('"status":401');
  const limited = await ask(unused);
  expect([limited.statusCode, limited.json().code]).toEqual([429, 'too_many_requests']);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(key)).statusCode).toBe(200);
  expect((await api.inject(unused, { url: '/projects' })).statusCode).toBe(200);
});

test('no key is in the log; when keys were used is noted at the latest when the API ends', async ({
  databaseUrl,
}) => {
  const logStream = new PassThrough();
  const logged = text(logStream);
  let token = '';
  {
    await using api = await startTestApi(databaseUrl, { logStream });
    const projectId = await api.createProject(await api.createUser());
    const key = await api.createKey(projectId);
    ({ token } = key);
    expect(await read(api, key)).toBe(200);
    await api.inject({ ...key, token: `${token}a` }, { url: `/projects?key=${token}` });
    await api.app.close();
    const [used] = await api.deps.database.sql`
      select last_used_at is not null as noted from api_keys where user_id = ${key.id}`;
    expect(used).toEqual({ noted: true });
  }
  logStream.end();
  const log = await logged;
  expect(log).toContain('the API key is refused');
  expect(log).not.toContain(token.slice(20));
});

async function read(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/projects' })).statusCode;
}
