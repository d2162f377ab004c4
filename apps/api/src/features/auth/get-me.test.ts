import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

test('200 with the caller and their role in each of their projects, and nothing of the password', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const ben = await api.createUser('ben');
  const own = await api.createProject(ana);
  const joined = await api.createProject(ben, [[ana, 'ADMIN']]);
  const { token: _token, ...user } = ana;
  expect((await api.inject(ana, { url: '/auth/me' })).json()).toEqual({
    ...user,
    createdAt: expect.any(String),
    projectMemberships: [
      {
        id: expect.any(String),
        userId: ana.id,
        projectId: own,
        role: 'OWNER',
        project: { id: own, name: 'project' },
      },
      {
        id: expect.any(String),
        userId: ana.id,
        projectId: joined,
        role: 'ADMIN',
        project: { id: joined, name: 'project' },
      },
    ],
  });
});
