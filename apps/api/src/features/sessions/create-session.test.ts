import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('201 with a Location that answers the same session: ACTIVE, and waiting for a recorder', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const url = `/projects/${projectId}/sessions`;
  const created = await api.inject(ben, { method: 'POST', url, payload: { name: ' first ' } });
  expect([created.statusCode, created.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      projectId,
      name: 'first',
      status: 'ACTIVE',
      createdBy: ben.id,
      createdAt: ISO,
      updatedAt: ISO,
      closedAt: null,
      closeReason: null,
      recording: {
        status: 'waiting',
        since: null,
        messageCount: 0,
        lastMessageAt: null,
        coverage: [],
        gaps: [],
      },
    },
  ]);
  const found = await api.inject(ana, { url: String(created.headers.location) });
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
});

test('404 for another user’s project as for none, and no session in it', async ({ api, ana }) => {
  const ben = await api.createUser('ben');
  const foreign = await api.createProject(ben);
  const problems = [];
  for (const id of [foreign, uuidv7()]) {
    const url = `/projects/${id}/sessions`;
    const answer = await api.inject(ana, { method: 'POST', url, payload: { name: 'first' } });
    const { requestId: _id, ...problem } = answer.json();
    problems.push(problem);
  }
  expect(problems[0]).toMatchObject({ status: 404, code: 'not_found' });
  expect(problems[1]).toEqual(problems[0]);
  const list = await api.inject(ben, { url: `/projects/${foreign}/sessions` });
  expect(list.json().items).toEqual([]);
});
