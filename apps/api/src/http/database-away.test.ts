import { openDatabase } from '@session/db';
import { createTestDatabase, DatabaseProxy } from '@session/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../../testing/api.ts';

/** So long for the server that whoever waits for its own end, or for that of a connection, waits longer than the test. */
const patience = { requestMs: 400, statementMs: 300, serverMs: 120_000 };

test('503 for what the database left unanswered and while it is away, 200 when it is back', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using api = await startTestApi(databaseProxy.url);
  const ana = await api.createUser();
  const ask = async (url = '/projects') => await api.inject(ana, { url });
  expect(await ask()).toMatchObject({ statusCode: 200 });

  databaseProxy.silenceOpenConnections();
  const unanswered = Array.from({ length: 5 }, () => ask());
  await databaseProxy.refuseConnections();
  const refused = Array.from({ length: 20 }, () => ask());
  for (const answer of await Promise.all([...unanswered, ...refused])) expectUnavailable(answer);
  expect(await ask('/health')).toMatchObject({ statusCode: 503 });

  await databaseProxy.acceptConnections();
  await expect.poll(() => ask(), { timeout: 5000 }).toMatchObject({ statusCode: 200 });
  expect(await ask('/health')).toMatchObject({ statusCode: 200 });
});

test('503 from every route while the database is silent, old connections and new; all go on when it does', async () => {
  await using setting = await openSetting();
  const { api, ana, databaseProxy } = setting;
  const requests = await requestsOf(api, ana);
  databaseProxy.silence();
  // More than there are connections.
  const asked = [...requests, ...requests].map((request) => api.inject(ana, request));
  for (const answer of await Promise.all(asked)) expectUnavailable(answer);
  expect(await api.inject(ana, { url: '/health' })).toMatchObject({ statusCode: 503 });
  databaseProxy.endSilence();
  await expectWell(setting);
});

test('503 too when it falls silent between two statements of a request', async () => {
  await using setting = await openSetting();
  const { api, ana, databaseProxy } = setting;
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/messages/latest?since=${new Date().toISOString()}`;
  // The first of them has been answered.
  Object.assign(api.deps.messages, { latestMessages: async () => undefined });
  databaseProxy.silence();
  const answer = await api.inject(ana, { url });
  expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
});

test('503 while statements of others hold all connections; all go on when those have ended', async () => {
  await using setting = await openSetting('?lock_timeout=0');
  const { api, ana, database } = setting;
  await using other = openDatabase(database.url, { connections: 2 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const holder = other.sql.begin(async (sql) => {
    await sql`lock table projects in access exclusive mode`;
    lock();
    await released;
  });
  await locked;
  const isHeld = async () => {
    const waiting = await other.sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name like 'api-%' and wait_event_type = 'Lock'`;
    return waiting.length;
  };
  const slow = Array.from({ length: 10 }, () => api.inject(ana, { url: '/projects' }));
  await expect.poll(isHeld).toBe(10);
  expectUnavailable(await api.inject(ana, { url: `/auth/me` }));
  for (const answer of await Promise.all(slow)) expectUnavailable(answer);
  release();
  await holder;
  await expectWell(setting);
});

test('503 for a statement that takes too long, which the server ends', async () => {
  await using setting = await openSetting('?statement_timeout=2000', {
    requestMs: 30_000,
    statementMs: 30_000,
    serverMs: 30_000,
  });
  const { api, ana, database } = setting;
  await using other = openDatabase(database.url, { connections: 1 });
  await other.sql`create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end'`;
  await other.sql`create trigger dawdle before insert on projects for each row execute function dawdle()`;
  const request = { method: 'POST', url: '/projects', payload: { name: 'slow' } } as const;
  expectUnavailable(await api.inject(ana, request));
  await other.sql`drop trigger dawdle on projects`;
  expect(await api.inject(ana, request)).toMatchObject({ statusCode: 201 });
});

async function openSetting(query = '', asked = patience) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const databaseProxy = stack.use(await DatabaseProxy.open(database.url));
  const api = stack.use(await startTestApi(`${databaseProxy.url}${query}`, { patience: asked }));
  const ana = await api.createUser();
  const owned = stack.move();
  return { api, ana, databaseProxy, database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** One for each route that has something to ask, also of those that may take their time. */
async function requestsOf(api: TestApi, ana: TestUser): Promise<InjectOptions[]> {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const agentId = uuidv7();
  const login = { email: ana.email, password: TEST_PASSWORD };
  const since = new Date().toISOString();
  const paths = [
    '/auth/me',
    '/projects',
    `/projects/${projectId}`,
    `/projects/${projectId}/sessions`,
    `/sessions/${sessionId}`,
    `/sessions/${sessionId}/messages`,
    `/sessions/${sessionId}/messages/latest?wait=25&since=${since}`,
    `/sessions/${sessionId}/export`,
    `/agents/${agentId}`,
    `/agents/${agentId}/logs`,
    '/monitoring/stats',
  ];
  const posts: [url: string, payload: object][] = [
    ['/auth/login', login],
    ['/auth/signup', { ...login, email: `new-${ana.email}`, name: 'New' }],
    ['/projects', { name: 'a' }],
    [`/projects/${projectId}/sessions`, { name: 'a' }],
    [`/sessions/${sessionId}/messages`, { content: 'a' }],
    [`/sessions/${sessionId}/agents`, { role: 'echo-agent' }],
    [`/sessions/${sessionId}/token`, {}],
  ];
  const headers = { 'idempotency-key': 'key' };
  return [
    ...paths.map((url) => ({ url })),
    ...posts.map(([url, payload]) => ({ method: 'POST' as const, url, payload, headers })),
    { method: 'DELETE', url: `/projects/${projectId}` },
  ];
}

function expectUnavailable(answer: LightMyRequestResponse): void {
  expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(answer.headers['retry-after']).toBe('1');
}

async function expectWell({ api, ana }: { api: TestApi; ana: TestUser }): Promise<void> {
  const ask = (url: string) => api.inject(ana, { url });
  await expect.poll(() => ask('/projects'), { timeout: 10_000 }).toMatchObject({ statusCode: 200 });
  expect(await ask('/health')).toMatchObject({ statusCode: 200 });
}
