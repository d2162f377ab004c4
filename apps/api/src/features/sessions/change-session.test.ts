import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

test('200 with the session under its new name, for any MEMBER, also when it is closed', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  const url = `/sessions/${id}`;
  const renamed = await api.inject(ben, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { id, name: 'new' }]);
  const { createdAt, updatedAt } = renamed.json();
  expect(updatedAt > createdAt).toBe(true);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  await api.deps.sessions.closeSession(id, 'user');
  const late = await api.inject(ben, { method: 'PATCH', url, payload: { name: 'newer' } });
  expect(late.json()).toMatchObject({ name: 'newer', status: 'CLOSED' });
  const refused = await api.inject(ana, { method: 'PATCH', url, payload: { status: 'ACTIVE' } });
  expect(refused.statusCode).toBe(400);
});

test('204, and 404 from then on: it is in no list, and no cursor', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const [kept, id] = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
  ];
  const url = `/sessions/${id}`;
  const removed = await api.inject(ana, { method: 'DELETE', url });
  expect([removed.statusCode, removed.body]).toEqual([204, '']);
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await api.inject(ana, { method, url })).statusCode).toBe(404);
  }
  const list = `/projects/${projectId}/sessions`;
  expect((await api.inject(ana, { url: list })).json().items).toMatchObject([{ id: kept }]);
  const paged = await api.inject(ana, { url: `${list}?cursor=${id}` });
  expect(paged.json().code).toBe('invalid_cursor');
});
