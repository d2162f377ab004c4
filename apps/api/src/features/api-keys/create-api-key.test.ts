import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
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

test.for([
  ['9999-12-31T23:59:59-05:00', '9999-12-31T23:59:59.999Z'],
  ['2099-01-01T00:00:00+23:59', '2098-12-31T00:01:00.000Z'],
] as const)(
  '201 for the end %s, which is %s; the key issues tokens',
  async ([asked, expiresAt], { api, ana }) => {
    const projectId = await api.createProject(ana);
    const url = `/projects/${projectId}/api-keys`;
    const payload = { name: 'Backend', expiresAt: asked };
    const created = await api.inject(ana, { method: 'POST', url, payload });
    expect([created.statusCode, created.json()]).toMatchObject([201, { expiresAt }]);
    const token = await api.inject(
      { ...ana, token: created.json().secret },
      {
        method: 'POST',
        url: `/sessions/${await api.createSession(ana, projectId)}/token`,
        payload: { participant: { id: 'customer-7', name: 'Ada' } },
      },
    );
    expect([token.statusCode, token.json().accessToken]).toEqual([201, expect.any(String)]);
  },
);

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
