import * as db from '@session/db';
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
      metadata: {},
      externalId: null,
      historyFrom: null,
      recording: {
        status: 'waiting',
        since: null,
        messageCount: 0,
        lastMessageAt: null,
        coverage: [],
        gaps: [],
        missing: [],
      },
    },
  ]);
  const found = await api.inject(ana, { url: String(created.headers.location) });
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
});

test('201 with metadata and an external id, and 200 with that session for the next request with the external id, whatever else it says', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const payload = { name: 'first', metadata: { customer: 'c-17', note: '' }, externalId: 'order' };
  const created = await api.inject(ana, { method: 'POST', url, payload });
  expect([created.statusCode, created.json()]).toMatchObject([201, payload]);
  const other = { name: 'second', metadata: { customer: 'c-18' }, externalId: 'order' };
  const found = await api.inject(ana, { method: 'POST', url, payload: other });
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
  expect(found.headers.location).toBe(`/sessions/${created.json().id}`);
});

test('of requests at once with one external id one gets 201, the others 200 with its session, also with keys of their own', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const create = async (name: string, key?: string) =>
    await api.inject(ana, {
      method: 'POST',
      url,
      payload: { name, externalId: 'order' },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  const answers = await Promise.all([
    ...['a', 'b', 'c'].map((name) => create(name)),
    ...['d', 'e', 'f'].map((name) => create(name, name)),
  ]);
  const statuses = answers.map(({ statusCode }) => `${statusCode}`).toSorted();
  expect(statuses).toEqual(['200', '200', '200', '200', '200', '201']);
  expect(new Set(answers.map(({ json }) => json().id)).size).toBe(1);
});

test('a repeat with the key that created the session gets 201 again; a key that created nothing stays free', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const create = async (key: string, payload: object) =>
    await api.inject(ana, { method: 'POST', url, payload, headers: { 'idempotency-key': key } });
  const payload = { name: 'first', externalId: 'order' };
  const first = await create('one', payload);
  const repeated = await create('one', payload);
  expect([repeated.statusCode, repeated.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(repeated.json()).toEqual(first.json());
  const found = await create('two', payload);
  expect([found.statusCode, found.headers['idempotent-replayed']]).toEqual([200, undefined]);
  const another = await create('two', { name: 'second', externalId: 'another' });
  expect([another.statusCode, another.json().name]).toEqual([201, 'second']);
});

test('400 for metadata and external ids that are no texts, too long or too many', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`key${n}`, '']));
  const refusals: [object, string][] = [
    [{ metadata: { a: 1 } }, 'body.metadata.a: a text is needed.'],
    [{ metadata: { a: null } }, 'body.metadata.a: a text is needed.'],
    [
      { metadata: { a: 'x'.repeat(501) } },
      'body.metadata.a: a text of at most 500 characters is needed.',
    ],
    [
      { metadata: { ['k'.repeat(41)]: '' } },
      `body.metadata.${'k'.repeat(41)}: a key has 1 to 40 characters, without [ and ].`,
    ],
    [
      { metadata: { 'a[b]': '' } },
      'body.metadata.a[b]: a key has 1 to 40 characters, without [ and ].',
    ],
    [{ metadata: many }, 'body.metadata: a session has at most 16 keys of metadata.'],
    [{ externalId: '' }, 'body.externalId: a text of at least 1 character is needed.'],
    [
      { externalId: 'x'.repeat(256) },
      'body.externalId: a text of at most 255 characters is needed.',
    ],
  ];
  for (const [fields, detail] of refusals) {
    const payload = { name: 'first', ...fields };
    const answer = await api.inject(ana, { method: 'POST', url, payload });
    expect([answer.statusCode, answer.json().detail]).toEqual([400, detail]);
  }
  const payload = '{"name":"first","metadata":{"__proto__":"x"}}';
  const headers = { 'content-type': 'application/json' };
  expect((await api.inject(ana, { method: 'POST', url, payload, headers })).statusCode).toBe(400);
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
