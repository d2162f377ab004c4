import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the user and their role in each of their projects, and nothing of the password', async ({
  api,
  ana,
}) => {
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
