import { openDatabase } from '@session/db';
import { createTestDatabase, DatabaseProxy, holdLocks } from '@session/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { answeredDatabase } from '../../testing/answered-database.ts';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../../testing/api.ts';
import { apiTest } from '../../testing/api-test.ts';

/** `serverMs` is so long that a request that waits for the server's own limit, or for a connection's, outlasts the test. */
const timeLimits = { requestMs: 400, statementMs: 300, serverMs: 120_000 };

apiTest(
  '503 for requests that the database left unanswered and while it is away, 200 when it is back',
  async ({ database }) => {
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
    await expect.poll(() => ask()).toMatchObject({ statusCode: 200 });
    await expect.poll(() => ask('/health')).toMatchObject({ statusCode: 200 });
  },
);

test('503 from every route while old and new connections are silent; 200 when the database answers again', async () => {
  await using setting = await openSetting();
  const { api, ana, databaseProxy } = setting;
  databaseProxy.silence();
  await expectAllUnavailable(setting);
  expect(await api.inject(ana, { url: '/health' })).toMatchObject({ statusCode: 503 });
  databaseProxy.endSilence();
  await expectWell(setting);
});

test('503 from every route by the limit of its first statement alone, however long the whole request may take', async () => {
  await using setting = await openSetting('', { ...timeLimits, requestMs: 120_000 });
  setting.databaseProxy.silence();
  await expectAllUnavailable(setting);
  expect((await setting.api.app.inject('/health')).statusCode).toBe(503);
  setting.databaseProxy.endSilence();
  await expectWell(setting);
});

test('503 too when the database falls silent between two statements of a request', async () => {
  await using setting = await openSetting();
  const { ana, databaseProxy } = setting;
  const sessionId = await setting.api.createSession(ana);
  const url = `/sessions/${sessionId}/messages/latest?since=${new Date().toISOString()}`;
  // The database has answered the first statement, which found nothing.
  const database = answeredDatabase(setting.api.deps.database, (name) =>
    name === 'latest_messages' ? Promise.resolve([]) : undefined,
  );
  await using api = await startTestApi(databaseProxy.url, { timeLimits, deps: { database } });
  databaseProxy.silence();
  const answer = await api.inject(ana, { url });
  expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
});

test('503 while other statements hold all connections; 200 when those have ended', async () => {
  await using setting = await openSetting('?lock_timeout=0');
  const { api, ana, database } = setting;
  await using other = openDatabase(database.url, { connections: 1 });
  await using lock = await holdLocks(
    database.url,
    async (sql) => await sql`lock table projects in access exclusive mode`,
  );
  const slow: Promise<LightMyRequestResponse>[] = [];
  const isHeld = async () => {
    // A request that times out before it has a connection leaves no statement.
    slow.push(api.inject(ana, { url: '/projects' }));
    const waiting = await other.sql`select 1 from pg_stat_activity
      where datname = current_database() and application_name like 'api-%' and wait_event_type = 'Lock'`;
    return waiting.length;
  };
  await expect.poll(isHeld).toBe(10);
  expectUnavailable(await api.inject(ana, { url: `/auth/me` }));
  for (const answer of await Promise.all(slow)) expectUnavailable(answer);
  await lock[Symbol.asyncDispose]();
  await expectWell(setting);
});

test('503 for a statement that takes too long, which PostgreSQL cancels', async () => {
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

async function openSetting(query = '', asked = timeLimits) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const databaseProxy = stack.use(await DatabaseProxy.open(database.url));
  const api = stack.use(await startTestApi(`${databaseProxy.url}${query}`, { timeLimits: asked }));
  const ana = await api.createUser();
  const owned = stack.move();
  return { api, ana, databaseProxy, database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The bodies of all routes that take one. */
const bodies: Readonly<Record<string, object>> = {
  'POST /auth/login': { email: 'ana@example.org', password: TEST_PASSWORD },
  'POST /auth/signup': { email: 'new@example.org', password: TEST_PASSWORD, name: 'New' },
  'POST /auth/reset-password': { secret: 'a'.repeat(43), password: TEST_PASSWORD },
  'POST /invitations/look': { secret: 'a'.repeat(43) },
  'PATCH /auth/me': { name: 'a' },
  'DELETE /auth/me': { password: TEST_PASSWORD },
  'POST /auth/password': { current: TEST_PASSWORD, new: 'battery staple' },
  'POST /projects': { name: 'a' },
  'PATCH /projects/:id': { name: 'a' },
  'POST /projects/:id/members': { email: 'ben@example.org' },
  'PATCH /projects/:id/members/:userId': { role: 'ADMIN' },
  'POST /projects/:projectId/sessions': { name: 'a' },
  'PATCH /sessions/:id': { name: 'a' },
  'POST /sessions/:id/close': {},
  'POST /sessions/:id/token': {},
  'POST /sessions/:sessionId/messages': { content: 'a' },
  'POST /sessions/:sessionId/import': {
    messages: [{ id: 'a', role: 'user', content: 'a', timestamp: '2026-01-01T00:00:00Z' }],
  },
  'POST /sessions/:sessionId/agents': { role: 'echo-agent' },
  'POST /projects/:projectId/env-templates': { name: 'a', variables: { LLM_API_KEY: 'a' } },
  'PATCH /env-templates/:id': { name: 'a' },
  'POST /projects/:projectId/plan-templates': {
    name: 'a',
    steps: [{ title: 'a', instructions: 'a' }],
  },
  'PATCH /plan-templates/:id': { name: 'a' },
  'POST /projects/:projectId/agent-templates': { name: 'a', role: 'light-agent' },
  'PATCH /agent-templates/:id': { name: 'a' },
  'POST /projects/:projectId/erasures': { participantId: 'a' },
  'POST /projects/:id/webhooks': { url: 'https://example.org/hook' },
  'PATCH /webhooks/:id': { description: 'a' },
  'POST /webhooks/:id/replay': { since: '2026-01-01T00:00:00Z' },
};
/** Routes whose answers need no database, or are no problem documents. */
const others = new Set([
  'GET /',
  'GET /agent-types',
  'GET /auth/methods',
  'GET /health',
  // It answers before it looks for the account.
  'POST /auth/forgotten',
  // Without a provider there are none.
  'POST /auth/provider/finish',
  'POST /auth/provider/start',
]);

/** Returns a request to each route that asks the database, including the routes with a limit of their own. */
function requestsOf({ routes }: TestApi): InjectOptions[] {
  const since = new Date().toISOString();
  return routes.flatMap(({ method, url: pattern, schema }) => {
    const name = `${String(method)} ${pattern}`;
    if (method === 'HEAD' || schema?.hide || others.has(name)) return [];
    const query = pattern.endsWith('/latest') ? `?wait=25&since=${since}` : '';
    const url = pattern.replace(':version', '1').replaceAll(/:\w+/g, uuidv7()) + query;
    const payload = bodies[name];
    const headers = { 'idempotency-key': 'key' };
    return Object.assign({ url, headers }, payload && { payload }, {
      method: String(method),
    });
  });
}

function expectUnavailable(answer: LightMyRequestResponse): void {
  expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(answer.headers['retry-after']).toBe('1');
}

async function expectAllUnavailable({ api, ana }: { api: TestApi; ana: TestUser }): Promise<void> {
  const requests = requestsOf(api);
  expect(requests.length).toBeGreaterThan(35);
  // More requests than connections.
  const asked = [...requests, ...requests].map(async (request) => ({
    request,
    answer: await api.inject(ana, request),
  }));
  for (const { request, answer } of await Promise.all(asked)) {
    expect([request.method, request.url, answer.statusCode]).toEqual([
      request.method,
      request.url,
      503,
    ]);
    expectUnavailable(answer);
  }
}

async function expectWell({
  api,
  ana,
}: {
  api: TestApi;
  ana: TestUser;
  databaseProxy: DatabaseProxy;
}): Promise<void> {
  const ask = (url: string) => api.inject(ana, { url });
  await expect.poll(() => ask('/projects')).toMatchObject({ statusCode: 200 });
  await expect.poll(() => ask('/health')).toMatchObject({ statusCode: 200 });
}

apiTest(
  '503 while the database is read-only, as in a failover, and writes again as soon as it is not',
  async ({ database }) => {
    await using api = await startTestApi(database.url);
    const ana = await api.createUser();
    const create = async () =>
      await api.inject(ana, { method: 'POST', url: '/projects', payload: { name: 'a' } });
    expect(await create()).toMatchObject({ statusCode: 201 });
    await using admin = openDatabase(database.url, { connections: 1 });
    const { sql } = admin;
    const [row] = await sql`select current_database() as name`;
    const setReadOnly = async (value: string) => {
      await sql`alter database ${sql(String(row?.['name']))} set default_transaction_read_only = ${sql(value)}`;
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
    };
    await setReadOnly('on');
    // A connection that was ended may fail one request first; that is 503 too.
    for (let count = 0; count < 20; count += 1) expectUnavailable(await create());
    // The open connections stay, because only those that reported read-only are closed.
    await sql`alter database ${sql(String(row?.['name']))} reset default_transaction_read_only`;
    await expect.poll(create).toMatchObject({ statusCode: 201 });
  },
);
