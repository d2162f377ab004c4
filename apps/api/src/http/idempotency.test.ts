import * as db from '@session/db';
import { inTransaction, openDatabase } from '@session/db';
import { openRoomService } from '@session/media';
import type { LightMyRequestResponse, RouteOptions } from 'fastify';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
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
  [
    '/projects/:project/agent-templates',
    { name: 'a', role: 'light-agent' },
    { name: 'b', role: 'light-agent' },
  ],
  ['/projects/:project/erasures', { participantId: 'a' }, { participantId: 'b' }],
  ['/sessions/:session/messages', { content: 'a' }, { content: 'b' }],
  ['/sessions/:session/agents', { role: 'echo-agent' }, { role: 'echo-agent', config: {} }],
];

/** Routes that answer 201 and take no key, with the reason. */
const WITHOUT_KEY: Readonly<Record<string, string>> = {
  '/auth/signup': 'Whoever asks has no account yet, and the address is taken by the first request.',
  '/projects/:/invitations': 'It replaces the former link, and the answer has a secret.',
  '/projects/:/api-keys': 'The answer has a secret, which is not stored.',
  '/api-keys/:/rotate': 'The answer has a secret, which is not stored.',
  '/projects/:/webhooks': 'The answer has a secret, which no later answer shows.',
  '/webhooks/:/rotate-secret': 'The answer has a secret, which no later answer shows.',
  '/sessions/:/token': 'It makes a token, and stores no object.',
  '/agents/:/token': 'It makes a token, and stores no object.',
};

type Post = (
  url: string,
  payload: object,
  key: string,
  user?: TestUser,
) => Promise<LightMyRequestResponse>;

/** As `apiTest`, with users of the e-mail addresses above, and `post`, which fills ids into a path. `sent` holds all packets. */
const test = apiTest
  .extend('sent', (): unknown[] => [])
  .extend('options', ({ sent }) => {
    const media = openRoomService({ url: 'ws://127.0.0.1:1', apiKey: 'key', apiSecret: 'secret' });
    const rooms = { ...media, sendPacket: async (...packet: unknown[]) => void sent.push(packet) };
    return { deps: { rooms } };
  })
  .extend('post', async ({ api, ana, projectId, sessionId }): Promise<Post> => {
    for (const name of ['ben', 'cy']) {
      const email = `${name}@example.org`;
      await db.insertUser(api.deps.database, { id: uuidv7(), email, name, passwordHash: '' });
    }
    return async (pattern, payload, key, user = ana) => {
      const url = pattern.replace(':project', projectId).replace(':session', sessionId);
      const headers = { 'idempotency-key': key };
      return await api.inject(user, { method: 'POST', url, payload, headers });
    };
  });

test.for(routes)(
  'POST %s: equal requests with a key make one object',
  async ([path, body, other], { post }) => {
    const answers = await Promise.all([0, 1, 2, 3].map(() => post(path, body, 'key')));
    const [first] = answers;
    const status = path.endsWith('/erasures') ? 202 : 201;
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(4).fill(status));
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
    const replays = answers.map(({ headers }) => headers['idempotent-replayed']);
    expect(replays.filter((replay) => replay === 'true')).toHaveLength(3);
    const again = await post(path, body, 'key');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect([again.statusCode, again.json(), again.headers['location']]).toEqual([
      status,
      first?.json(),
      first?.headers['location'],
    ]);
    const reused = await post(path, other, 'key');
    expect([reused.statusCode, reused.json().code]).toEqual([409, 'idempotency_key_reused']);
    expect(reused.headers).not.toHaveProperty('idempotent-replayed');
  },
);

test('every route that creates an object is in the table, or has a reason to take no key', async ({
  api,
}) => {
  const made = api.routes.filter((route) => takesKey(route) || isCreation(route));
  const keyless = made.filter((route) => !takesKey(route)).map(({ url }) => pathOf(url));
  expect(keyless.toSorted()).toEqual(Object.keys(WITHOUT_KEY).toSorted());
  const keyed = made.filter(takesKey).map(({ url }) => pathOf(url));
  expect(keyed.toSorted()).toEqual(routes.map(([path]) => pathOf(path)).toSorted());
});

test('the answer is the object in its present state, and 404 after its deletion', async ({
  api,
  ana,
  post,
}) => {
  const { id } = (await post('/projects', { name: 'old' }, 'key')).json();
  await api.inject(ana, { method: 'PATCH', url: `/projects/${id}`, payload: { name: 'new' } });
  const renamed = await post('/projects', { name: 'old' }, 'key');
  expect(renamed.json()).toMatchObject({ id, name: 'new' });
  await api.inject(ana, { method: 'DELETE', url: `/projects/${id}` });
  expect((await post('/projects', { name: 'old' }, 'key')).statusCode).toBe(404);
});

test('a key belongs to one user and one path', async ({ api, post }) => {
  const ben = await api.createUser('ben');
  const ids = [
    await post('/projects', { name: 'a' }, 'key'),
    await post('/projects', { name: 'b' }, 'key', ben),
    await post('/projects/:project/sessions', { name: 'c' }, 'key'),
  ].map((answer) => answer.json().id);
  expect(new Set(ids).size).toBe(3);
});

test('a key belongs to the route and its parameters, however the path is spelt', async ({
  api,
  ana,
  projectId,
}) => {
  const payload = { name: 'a' };
  const headers = { 'idempotency-key': 'key' };
  const ids: [number, string][] = [];
  for (const url of [
    `/projects/${projectId}/sessions`,
    `/projects/${projectId.toUpperCase()}/sessions`,
    `/projects/${projectId}/sessions?`,
    `/projects/${projectId.replace(/^./, (first) => `%3${first}`)}/s%65ssions`,
  ]) {
    const answer = await api.inject(ana, { method: 'POST', url, payload, headers });
    ids.push([answer.statusCode, answer.json().id]);
  }
  expect(ids).toEqual(ids.map(() => [201, ids[0]?.[1]]));
});

test('a key that was used before a change of the secret still means the same request', async ({
  database,
  ana,
  post,
}) => {
  const { id } = (await post('/projects', { name: 'a' }, 'key')).json();
  const env = {
    JWT_SECRET: 'the next secret, of 32 bytes or more',
    JWT_SECRET_PREVIOUS: 'a secret of the tests, 32 bytes or more',
  };
  await using api = await startTestApi(database.url, { env });
  const headers = { 'idempotency-key': 'key' };
  const request = { method: 'POST', url: '/projects', headers } as const;
  const again = await api.inject(ana, { ...request, payload: { name: 'a' } });
  expect([again.statusCode, again.json().id]).toEqual([201, id]);
  const other = await api.inject(ana, { ...request, payload: { name: 'b' } });
  expect(other.json().code).toBe('idempotency_key_reused');
});

test('a request that failed leaves its key free', async ({ api, ana, sessionId, post }) => {
  const agents = '/sessions/:session/agents';
  await post(agents, { role: 'echo-agent' }, 'first');
  const refused = await post(agents, { role: 'echo-agent' }, 'key');
  expect(refused.json().code).toBe('agent_already_running');
  const [agent] = await listAgents(api, ana, sessionId);
  const stopped = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await db.updateAgentState(api.deps.database, agent?.id ?? '', stopped);
  expect((await post(agents, { role: 'echo-agent' }, 'key')).statusCode).toBe(201);
  expect(await listAgents(api, ana, sessionId)).toHaveLength(2);
  await db.closeSession(api.deps.database, sessionId, 'user');
  const replayed = await post(agents, { role: 'echo-agent' }, 'key');
  expect(replayed.statusCode).toBe(201);
});

test('a message that was sent with a key is sent again under its id', async ({
  sessionId,
  post,
  sent,
  ana,
}) => {
  const { id } = (await post('/sessions/:session/messages', { content: 'a' }, 'key')).json();
  await post('/sessions/:session/messages', { content: 'a' }, 'key');
  const sender = { identity: `user-${ana.id}`, name: 'ana' };
  const packet = [sessionId, { type: 'user_text', data: 'a', id, sender }];
  expect(sent).toEqual([packet, packet]);
});

test('409 idempotency_in_progress with Retry-After while the first request is running', async ({
  database,
  ana,
}) => {
  await using api = await startTestApi(`${database.url}?lock_timeout=50`);
  await using own = openDatabase(database.url, { connections: 1 });
  const payload = { name: 'a' };
  const headers = { 'idempotency-key': 'key' };
  const post = () => api.inject(ana, { method: 'POST', url: '/projects', payload, headers });
  const claim = {
    scope: uuidv5('POST /projects', ana.id),
    key: 'key',
    requestHash: Buffer.from('a'),
    objectId: uuidv7(),
  };
  const fault = new Error('the first request fails');
  const first = inTransaction(own, async (transaction) => {
    await db.claimKey(transaction, claim);
    const second = await post();
    expect([second.statusCode, second.json().code]).toEqual([409, 'idempotency_in_progress']);
    expect(second.headers['retry-after']).toBe('1');
    throw fault;
  });
  await expect(first).rejects.toBe(fault);
  expect((await post()).statusCode).toBe(201);
});

test('400 for a key that is empty or too long', async ({ post }) => {
  for (const key of ['', 'k'.repeat(256)]) {
    const answer = await post('/projects', { name: 'a' }, key);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  }
});

function takesKey({ method, schema }: RouteOptions): boolean {
  return method === 'POST' && schema?.headers !== undefined;
}

function isCreation({ method, schema }: RouteOptions): boolean {
  const response: unknown = schema?.response;
  return method === 'POST' && typeof response === 'object' && response !== null && 201 in response;
}

function pathOf(url: string): string {
  return url.replace(/:\w+/, ':');
}

async function listAgents(api: TestApi, user: TestUser, sessionId: string) {
  const { items } = (await api.inject(user, { url: `/sessions/${sessionId}/agents` })).json();
  return z.array(z.object({ id: z.string() })).parse(items);
}
