import { expect, test } from 'vitest';
import {
  cut,
  cutUnseen,
  json,
  lost,
  problem,
  type ScriptedAnswer,
  scriptedServer,
  silent,
} from '../../testing/scripted-server.ts';
import type { AdminClient } from '../admin.ts';
import type { Client } from '../index.ts';
import { ApiError, ConnectionError } from './api-error.ts';
import { isWorthRetry, retryDelay } from './retry.ts';

const now = { 'retry-after': '0' };
const project = { id: 'p', name: 'First' };

const passing: [string, ScriptedAnswer][] = [
  ['lost', lost],
  ['cut in the middle', cut(project)],
  ['cut where nothing shows it', cutUnseen(project)],
  ['429', problem(429, 'too_many_requests', now)],
  ['429 without Retry-After', problem(429, 'too_many_requests')],
  ['502 of a proxy', (response) => response.writeHead(502).end('<html>Bad gateway</html>')],
  ['503', problem(503, 'unavailable', now)],
  ['504', problem(504, 'unavailable')],
  ['503, itself cut', cut(project, 503)],
];

test.each(passing)('a read whose answer is %s is retried', async (_, answer) => {
  await using server = await scriptedServer(answer, json(project));
  expect(await server.client().projects.get('p')).toEqual(project);
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /projects/p',
    'GET /projects/p',
  ]);
});

test.each(passing)(
  'a creation whose answer is %s is retried with the same key and body',
  async (_, answer) => {
    await using server = await scriptedServer(answer, answer, json(project, 201));
    expect(await server.client().projects.create({ name: 'First' })).toEqual(project);
    const keys = new Set(server.received.map(({ headers }) => headers['idempotency-key']));
    const bodies = new Set(server.received.map(({ body }) => body));
    expect([server.received.length, keys.size, bodies.size]).toEqual([3, 1, 1]);
  },
);

test('an answer that is late counts as none, and a repeat under the same key brings the same object', async () => {
  await using server = await scriptedServer(silent, json(project, 201));
  const client = server.client({ timeoutMs: 500, maxRetries: 10 });
  const idempotencyKey = 'my-key';
  expect(await client.projects.create({ name: 'First' }, { idempotencyKey })).toEqual(project);
  const keys = server.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys)).toEqual(new Set(['my-key']));
});

test('two calls have two keys', async () => {
  await using server = await scriptedServer(json(project, 201));
  const client = server.client();
  await client.projects.create({ name: 'First' });
  await client.projects.create({ name: 'First' });
  expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
});

test('a creation is retried while another request with its key is in progress', async () => {
  const atWork = problem(409, 'idempotency_in_progress', now);
  await using server = await scriptedServer(atWork, atWork, json(project, 201));
  expect(await server.client().projects.create({ name: 'First' })).toEqual(project);
});

test.each<[string, (client: Client) => Promise<unknown>, string]>([
  ['close', (client) => client.sessions.close('s'), 'POST /sessions/s/close'],
  ['delete', (client) => client.sessions.delete('s'), 'DELETE /sessions/s'],
  ['stop', (client) => client.agents.stop('a'), 'DELETE /agents/a'],
  [
    'check',
    (client) => client.agents.check('s', { role: 'r' }),
    'POST /sessions/s/agents?dryRun=true',
  ],
])('%s is retried without a key: a second request has no effect', async (_, call, request) => {
  await using server = await scriptedServer(lost, json({ problems: [] }));
  await call(server.client());
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([request, request]);
  expect(server.received[1]?.headers['idempotency-key']).toBeUndefined();
});

const account = { email: 'ada@example.org', password: 'correct horse', name: 'Ada' };

test.each<[string, (client: Client) => Promise<unknown>]>([
  ['signing up', (client) => client.auth.signUp(account)],
  ['logging in', (client) => client.auth.logIn(account)],
  ['a room token', (client) => client.sessions.createToken('s')],
])('%s is never retried', async (_, call) => {
  for (const answer of [
    lost,
    cut({}),
    problem(503, 'overloaded', now),
    problem(429, 'too_many_requests', now),
  ]) {
    await using server = await scriptedServer(answer, json({}));
    await expect(call(server.client())).rejects.toThrow(Error);
    expect(server.received).toHaveLength(1);
  }
});

test.each<[string, ScriptedAnswer, number]>([
  ['503 with Retry-After', problem(503, 'unavailable', now), 2],
  ['429 with Retry-After', problem(429, 'too_many_requests', now), 2],
  ['503 without Retry-After', problem(503, 'unavailable'), 1],
  ['502', problem(502, 'unavailable', now), 1],
  ['lost', lost, 1],
])(
  'a change whose answer is %s is retried only when the server says when',
  async (_, answer, times) => {
    await using server = await scriptedServer(answer, json(project));
    await server
      .client()
      .projects.rename('p', { name: 'Second' })
      .catch(() => {});
    expect(server.received).toHaveLength(times);
  },
);

const unrepeatable: ((client: AdminClient) => Promise<unknown>)[] = [
  (client) => client.webhooks.create('p', { url: 'https://example.org' }),
  (client) => client.envTemplates.change('t', { name: 'Second' }, { version: 1 }),
  (client) => client.agentTemplates.change('t', { name: 'Second', version: 1 }),
];

test.each<[string, ScriptedAnswer, number]>([
  ['503 unavailable', problem(503, 'unavailable', now), 1],
  ['503 of a proxy', (response) => response.writeHead(503, now).end(), 1],
  ['503 overloaded', problem(503, 'overloaded', now), 2],
  ['429', problem(429, 'too_many_requests', now), 2],
  ['429 without Retry-After', problem(429, 'too_many_requests'), 1],
  ['lost', lost, 1],
])(
  'a creation without a key, or a change of one version, whose answer is %s is retried only when the server did nothing',
  async (_, answer, times) => {
    for (const call of unrepeatable) {
      await using server = await scriptedServer(answer, json({}));
      await call(server.client()).catch(() => {});
      expect(server.received).toHaveLength(times);
    }
  },
);

test.each([400, 403, 404, 405, 409, 413, 415, 500])('%i is not retried', async (status) => {
  await using server = await scriptedServer(problem(status, 'conflict', now), json(project));
  await expect(server.client().projects.get('p')).rejects.toMatchObject({ status });
  expect(server.received).toHaveLength(1);
});

test('a server that stays away is given up after `maxRetries` retries', async () => {
  for (const [maxRetries, times] of [
    [undefined, 3],
    [0, 1],
    [4, 5],
  ] as const) {
    await using server = await scriptedServer(lost);
    const client = server.client(maxRetries === undefined ? {} : { maxRetries });
    await expect(client.projects.get('p')).rejects.toThrow('GET /projects/p: no answer');
    expect(server.received).toHaveLength(times);
  }
});

const failure = (retryAfterMs: number | null, status = 503) => {
  const texts = { code: 'unavailable', title: '', detail: '', requestId: null };
  return new ApiError({ ...texts, status, errors: [], retryAfterMs });
};

test.each([
  [0, 500],
  [1, 1000],
  [3, 4000],
  [4, 8000],
  [50, 8000],
])('before repeat %i at most %i ms, and any shorter time', (failures, most) => {
  const error = new ConnectionError('none');
  const waits = [0, 0.25, 1].map((random) => retryDelay(error, failures, () => random));
  expect(waits).toEqual([0, most / 4, most]);
});

test('Retry-After is a floor of up to a minute; beyond it the caller decides', () => {
  expect([20_000, 3_600_000].map((ms) => retryDelay(failure(ms), 0, () => 1))).toEqual([
    20_000, 60_000,
  ]);
  expect(retryDelay(failure(100), 0, () => 1)).toBe(500);
  expect(retryDelay(failure(null), 0, () => 1)).toBe(500);
  expect([60_000, 60_001].map((ms) => isWorthRetry(failure(ms), 'always'))).toEqual([true, false]);
});

test('a foreign error is not retried', () => {
  const rules = ['always', 'answered', 'refused', 'never'] as const;
  const others = [new TypeError('a bug'), 'text', null, undefined];
  expect(others.flatMap((error) => rules.map((rule) => isWorthRetry(error, rule)))).not.toContain(
    true,
  );
});
