import * as db from '@session/db';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the session under its new name, for any MEMBER, also when it is closed', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  const url = `/sessions/${id}`;
  const renamed = await api.inject(ben, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { id, name: 'new' }]);
  const { createdAt, updatedAt } = renamed.json();
  expect(updatedAt > createdAt).toBe(true);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  await db.closeSession(api.deps.database, id, 'user');
  const late = await api.inject(ben, { method: 'PATCH', url, payload: { name: 'newer' } });
  expect(late.json()).toMatchObject({ name: 'newer', status: 'CLOSED' });
  const refused = await api.inject(ana, { method: 'PATCH', url, payload: { status: 'ACTIVE' } });
  expect(refused.statusCode).toBe(400);
});
