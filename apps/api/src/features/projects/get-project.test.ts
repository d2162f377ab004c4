import { v7 as uuidv7 } from 'uuid';
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

test('404 for another user’s project as for none, so that ids cannot be probed', async ({
  api,
  ana,
}) => {
  const foreign = await api.createProject(await api.createUser('ben'));
  const problems = [];
  for (const id of [foreign, uuidv7()]) {
    const answer = await api.inject(ana, { url: `/projects/${id}` });
    const { requestId: _id, ...problem } = answer.json();
    problems.push(problem);
  }
  expect(problems[0]).toMatchObject({ status: 404, code: 'not_found' });
  expect(problems[1]).toEqual(problems[0]);
});
