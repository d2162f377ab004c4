import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('204, and 404 from then on: the session is in no list, but is still a cursor', async ({
  api,
  ana,
}) => {
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
  for (const query of ['', `?cursor=${id}`, `?cursor=${id}&status=ACTIVE`, `?cursor=${id}&q=s`]) {
    const listed = await api.inject(ana, { url: list + query });
    expect(listed.json().items).toMatchObject([{ id: kept }]);
  }
});
