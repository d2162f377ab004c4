import { inTransaction, openDatabase, prepareIdempotencyKeyQueries } from '@session/db';
import { createTestDatabase } from '@session/testing';
import type { RouteOptions } from 'fastify';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startTestApi, type TestApi, type TestUser } from '../../testing/api.ts';
import { apiTest } from '../../testing/api-test.ts';

const variables = { LLM_API_KEY: 'value' };

/** Every route that creates an object: its path, a body, and another body. */
const routes: [path: string, body: object, other: object][] = [
  ['/projects', { name: 'a' }, { name: 'b' }],
  ['/projects/:project/members', { email: 'ben@example.org' }, { email: 'cy@example.org' }],
  ['/projects/:project/sessions', { name: 'a' }, { name: 'b' }],
  ['/projects/:project/env-templates', { name: 'a', variables }, { name: 'b', variables }],
  [
    '/projects/:project/plan-templates',
    { name: 'a', steps: [{ title: 'a', instructions: 'do' }] },
    { name: 'a', steps: [{ title: 'b', instructions: 'do' }] },
  ],
  ['/sessions/:session/messages', { content: 'a' }, { content: 'b' }],
  ['/sessions/:session/agents', { role: 'echo-agent' }, { role: 'echo-agent', config: {} }],
];

async function startWorld(query = '') {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const sent: unknown[] = [];
  const send = async (...packet: unknown[]) => void sent.push(packet);
  const first = stack.use(await startTestApi(`${database.url}${query}`));
  const rooms = { ...first.deps.rooms, sendPacket: send };
  const api = stack.use(await startTestApi(`${database.url}${query}`, { deps: { rooms } }));
  const ana = await api.createUser();
  const own = stack.use(openDatabase(database.url, { connections: 1 }));
  for (const name of ['ben', 'cy']) {
    const email = `${name}@example.org`;
    await api.deps.users.insertUser({ id: uuidv7(), email, name, passwordHash: '' });
  }
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const owned = stack.move();
  const post = async (url: string, payload: object, key: string, user = ana) => {
    const path = url.replace(':project', projectId).replace(':session', sessionId);
    const headers = { 'idempotency-key': key };
    return await api.inject(user, { method: 'POST', url: path, payload, headers });
  };
  return {
    api,
    ana,
    own,
    sent,
    post,
    sessionId,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test.each(routes)(
  'POST %s: equal requests with a key make one object',
  async (path, body, other) => {
    await using world = await startWorld();
    const { post } = world;
    const answers = await Promise.all([0, 1, 2, 3].map(() => post(path, body, 'key')));
    const [first] = answers;
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
    const again = await post(path, body, 'key');
    expect([again.statusCode, again.json(), again.headers['location']]).toEqual([
      201,
      first?.json(),
      first?.headers['location'],
    ]);
    const reused = await post(path, other, 'key');
    expect([reused.statusCode, reused.json().code]).toEqual([409, 'idempotency_key_reused']);
  },
);

apiTest('every route that creates an object is in the table', async ({ api }) => {
  const made = api.routes.filter(takesKey);
  const paths = routes.map(([path]) => path.replace(/:\w+/, ':'));
  expect(made.map(({ url }) => url.replace(/:\w+/, ':')).toSorted()).toEqual(paths.toSorted());
});

test('the answer is the object in its present state, and 404 after its deletion', async () => {
  await using world = await startWorld();
  const { api, ana, post } = world;
  const { id } = (await post('/projects', { name: 'old' }, 'key')).json();
  await api.inject(ana, { method: 'PATCH', url: `/projects/${id}`, payload: { name: 'new' } });
  const renamed = await post('/projects', { name: 'old' }, 'key');
  expect(renamed.json()).toMatchObject({ id, name: 'new' });
  await api.inject(ana, { method: 'DELETE', url: `/projects/${id}` });
  expect((await post('/projects', { name: 'old' }, 'key')).statusCode).toBe(404);
});

test('a key belongs to one caller and one path', async () => {
  await using world = await startWorld();
  const { post } = world;
  const ben = await world.api.createUser('ben');
  const ids = [
    await post('/projects', { name: 'a' }, 'key'),
    await post('/projects', { name: 'b' }, 'key', ben),
    await post('/projects/:project/sessions', { name: 'c' }, 'key'),
  ].map((answer) => answer.json().id);
  expect(new Set(ids).size).toBe(3);
});

test('a request that failed leaves its key free', async () => {
  await using world = await startWorld();
  const { api, sessionId, post } = world;
  const agents = '/sessions/:session/agents';
  await post(agents, { role: 'echo-agent' }, 'first');
  const refused = await post(agents, { role: 'echo-agent' }, 'key');
  expect(refused.json().code).toBe('agent_already_running');
  const [agent] = await listAgents(world);
  const stopped = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await api.deps.agents.updateAgentState(agent?.id ?? '', stopped);
  expect((await post(agents, { role: 'echo-agent' }, 'key')).statusCode).toBe(201);
  expect(await listAgents(world)).toHaveLength(2);
  await api.deps.sessions.closeSession(sessionId, 'user');
  const replayed = await post(agents, { role: 'echo-agent' }, 'key');
  expect(replayed.statusCode).toBe(201);
});

test('a message that was sent with a key is sent again under its id', async () => {
  await using world = await startWorld();
  const { id } = (await world.post('/sessions/:session/messages', { content: 'a' }, 'key')).json();
  await world.post('/sessions/:session/messages', { content: 'a' }, 'key');
  const packet = [world.sessionId, { type: 'user_text', data: 'a', id }];
  expect(world.sent).toEqual([packet, packet]);
});

test('409 idempotency_in_progress with Retry-After while the first request is running', async () => {
  await using world = await startWorld('?lock_timeout=50');
  const { ana, own, post } = world;
  const claim = {
    scope: uuidv5('POST /projects', ana.id),
    key: 'key',
    requestHash: Buffer.from('a'),
    objectId: uuidv7(),
  };
  const fault = new Error('it dies');
  const first = inTransaction(own, async (transaction) => {
    await prepareIdempotencyKeyQueries(transaction).claimKey(claim);
    const second = await post('/projects', { name: 'a' }, 'key');
    expect([second.statusCode, second.json().code]).toEqual([409, 'idempotency_in_progress']);
    expect(second.headers['retry-after']).toBe('1');
    throw fault;
  });
  await expect(first).rejects.toBe(fault);
  expect((await post('/projects', { name: 'a' }, 'key')).statusCode).toBe(201);
});

test('400 for a key that is empty or too long', async () => {
  await using world = await startWorld();
  for (const key of ['', 'k'.repeat(256)]) {
    const answer = await world.post('/projects', { name: 'a' }, key);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  }
});

function takesKey({ method, schema }: RouteOptions): boolean {
  return method === 'POST' && schema?.headers !== undefined;
}

async function listAgents(world: { api: TestApi; ana: TestUser; sessionId: string }) {
  const url = `/sessions/${world.sessionId}/agents`;
  const { items } = (await world.api.inject(world.ana, { url })).json();
  return z.array(z.object({ id: z.string() })).parse(items);
}
