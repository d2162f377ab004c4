import * as db from '@session/db';
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

const configuredTest = test.extend('options', () => ({
  env: { SESSION_CAPACITY_PER_ACCOUNT: '2' },
}));

configuredTest(
  '409 session_capacity for a session too many, in whichever project of the account; a repeated request still gets the session that it made',
  async ({ api, ana }) => {
    const [projectId, another] = [await api.createProject(ana), await api.createProject(ana)];
    const create = async (key: string, project = projectId) =>
      await api.inject(ana, {
        method: 'POST',
        url: `/projects/${project}/sessions`,
        payload: { name: 'talk' },
        headers: { 'idempotency-key': key },
      });
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((key) => create(key)));
    const statuses = made.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
    const refused = made.find(({ statusCode }) => statusCode === 409);
    expect(refused?.json()).toMatchObject({
      code: 'session_capacity',
      detail:
        'An account may have at most 2 ACTIVE sessions in all its projects. Close one of them first. What is in a project counts for the owner who created it or took it over.',
    });
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) {
      const again = await create(key);
      expect([again.statusCode, again.json().id]).toEqual([
        made[index]?.statusCode,
        made[index]?.json().id,
      ]);
    }
    expect((await create('f', another)).json().code).toBe('session_capacity');
    const session = made.find(({ statusCode }) => statusCode === 201);
    await db.closeSession(api.deps.database, session?.json().id, 'user');
    expect((await create('e')).statusCode).toBe(201);
  },
);
