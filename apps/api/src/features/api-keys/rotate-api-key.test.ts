import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('both secrets of a rotated key are valid, with keepOldHours 0 the new one only; an expired key is not rotated', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const rotate = async (payload?: object) => {
    const url = `/api-keys/${key.id}/rotate`;
    return await api.inject(ana, { method: 'POST', url, ...(payload && { payload }) });
  };
  const second = (await rotate()).json();
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
  await api.deps.database.sql`update api_keys set expires_at = now() - interval '1 s'`;
  expect((await rotate({})).json().code).toBe('conflict');
});

test('an ADMIN rotates a key of the role MEMBER, and none of the role ADMIN', async ({
  api,
  ana,
}) => {
  const admin = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[admin, 'ADMIN']]);
  const codes = [];
  for (const role of ['MEMBER', 'ADMIN'] as const) {
    const { id } = await api.createKey(projectId, role);
    const url = `/api-keys/${id}/rotate`;
    const answer = await api.inject(admin, { method: 'POST', url, payload: {} });
    codes.push(answer.statusCode < 300 ? 201 : answer.json().code);
  }
  expect(codes).toEqual([201, 'forbidden']);
});

test('with keepOldHours 0 end the tokens of end users too; those of the new secret are valid', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const sessionId = await api.createSession(ana, projectId);
  const former = await api.createParticipant(key, sessionId);
  const rotate = async (payload: object) => {
    const url = `/api-keys/${key.id}/rotate`;
    return (await api.inject(ana, { method: 'POST', url, payload })).json().secret;
  };
  const token = await rotate({});
  expect(await me(api, former)).toBe(200);
  const { id } = await api.createParticipant({ ...key, token }, sessionId);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const next = { ...key, token: await rotate({ keepOldHours: 0 }) };
  await expect.poll(async () => await me(api, former)).toBe(401);
  expect(await me(api, await api.createParticipant(next, sessionId))).toBe(200);
});

async function me(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/auth/me' })).statusCode;
}

async function read(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/projects' })).statusCode;
}
