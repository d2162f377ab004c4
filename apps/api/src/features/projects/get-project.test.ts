import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 for every member, with all members', async ({ api, ana }) => {
  const ben = await api.createUser('ben');
  const id = await api.createProject(ana, [[ben, 'MEMBER']]);
  for (const user of [ana, ben]) {
    const found = await api.inject(user, { url: `/projects/${id}` });
    expect([found.statusCode, found.json()]).toEqual([
      200,
      {
        id,
        name: 'project',
        createdAt: expect.any(String),
        retentionDays: null,
        searchLanguage: null,
        memberships: [
          {
            id: expect.any(String),
            userId: ana.id,
            projectId: id,
            role: 'OWNER',
            user: { id: ana.id, email: ana.email, name: 'ana' },
          },
          {
            id: expect.any(String),
            userId: ben.id,
            projectId: id,
            role: 'MEMBER',
            user: { id: ben.id, email: ben.email, name: 'ben' },
          },
        ],
      },
    ]);
  }
});
