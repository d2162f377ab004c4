import * as db from '@session/db';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('204, and 404 from then on for the project and everything in it, for each of its members', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const id = await api.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await api.createSession(ben, id);
  const removed = await api.inject(ana, { method: 'DELETE', url: `/projects/${id}` });
  expect([removed.statusCode, removed.body]).toEqual([204, '']);
  const requests = [
    { url: `/projects/${id}` },
    { method: 'DELETE', url: `/projects/${id}` } as const,
    { url: `/projects/${id}/members` },
    { url: `/projects/${id}/sessions` },
    { method: 'POST', url: `/projects/${id}/sessions`, payload: { name: 'late' } } as const,
    { url: `/sessions/${sessionId}` },
    { url: `/sessions/${sessionId}/messages` },
    { method: 'POST', url: `/sessions/${sessionId}/token`, payload: {} } as const,
  ];
  for (const user of [ana, ben]) {
    for (const request of requests) {
      expect((await api.inject(user, request)).statusCode).toBe(404);
    }
    const list = await api.inject(user, { url: '/projects' });
    expect(list.json()).toEqual({ items: [], nextCursor: null });
  }
  expect(
    await db.insertMembership(api.deps.database, {
      id: sessionId,
      userId: ben.id,
      projectId: id,
      role: 'MEMBER',
    }),
  ).toBeUndefined();
});

test('a session or a member added at the same moment is deleted too, or refused', async ({
  api,
}) => {
  const [ana, eve] = [await api.createUser(), await api.createUser('eve')];
  const before = (await db.listDeletedSessions(api.deps.database, 99)).length;
  for (let round = 0; round < 10; round += 1) {
    const id = await api.createProject(ana);
    const url = `/projects/${id}`;
    const [removed, session, member] = await Promise.all([
      api.inject(ana, { method: 'DELETE', url }),
      api.inject(ana, { method: 'POST', url: `${url}/sessions`, payload: { name: 'late' } }),
      api.inject(ana, { method: 'POST', url: `${url}/members`, payload: { email: eve.email } }),
    ]);
    expect(removed.statusCode).toBe(204);
    expect([201, 404]).toContain(session.statusCode);
    expect([201, 404]).toContain(member.statusCode);
    for (const user of [ana, eve]) expect((await api.inject(user, { url })).statusCode).toBe(404);
  }
  const deleted = (await db.listDeletedSessions(api.deps.database, 99)).length - before;
  expect(await db.readStatistics(api.deps.database, ana.id)).toMatchObject({
    sessions: { active: 0 },
  });
  expect(deleted).toBeLessThanOrEqual(10);
});
