import type { MemberRole } from '@session/contract';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WITH_TOOL } from '../testing/agent-templates.ts';
import { startTestApi, type TestApi, type TestUser } from '../testing/api.ts';
import { KEYS, OTHER_ROUTES, type Outcome, ROUTES, STEPS } from '../testing/route-rows.ts';
import { storeAgent, storeSubject } from '../testing/stored-subjects.ts';

const UUIDS = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

let owned: AsyncDisposable;
let api: TestApi;
let maker: TestUser;
let projectId: string;
let callers: TestUser[];
let roles: [TestUser, MemberRole][];

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  // One account creates all objects.
  const env = { TEMPLATE_CAPACITY_PER_ACCOUNT: '0', SESSION_CAPACITY_PER_ACCOUNT: '0' };
  api = stack.use(await startTestApi(database.url, { env }));
  const names = ['maker', 'stranger', 'member', 'admin', 'owner'];
  const users = [];
  for (const name of names) users.push(await api.createUser(name));
  const [first, stranger, member, admin, owner] = users;
  if (!(first && stranger && member && admin && owner)) throw new Error('there are five');
  maker = first;
  callers = [stranger, member, admin, owner];
  roles = [
    [member, 'MEMBER'],
    [admin, 'ADMIN'],
    [owner, 'OWNER'],
  ];
  owned = stack.move();
});

// One of the routes deletes the project.
beforeEach(async () => {
  projectId = await api.createProject(maker, roles);
});

afterAll(async () => {
  await owned[Symbol.asyncDispose]();
});

test('every route that requires a token has its row here', () => {
  const guarded = api.routes.filter(
    ({ config, method, schema }) => !(config?.public || schema?.hide) && method !== 'HEAD',
  );
  const listed = [...ROUTES.map(([name]) => name), ...OTHER_ROUTES.map(([name]) => name)];
  expect(guarded.map(({ method, url }) => `${String(method)} ${url}`).toSorted()).toEqual(
    listed.toSorted(),
  );
});

test.each(ROUTES)('%s: %j', async (name, row, body = {}) => {
  const outcomes: Outcome[] = [];
  const own = await api.createSession(maker, projectId);
  const participant = await api.createParticipant(maker, own);
  const another = await api.createParticipant(maker, await api.createSession(maker, projectId));
  // The participants come first, because their requests change nothing for the callers that follow.
  for (const caller of [participant, another, ...callers, ...(await createKeys())]) {
    const sessionId = caller === participant ? own : await api.createSession(maker, projectId);
    const agentId = name.includes(':agentId')
      ? await storeAgent(api.deps, sessionId, maker.id, name)
      : '';
    const key = name.includes('/api-keys/') ? await api.createKey(projectId) : undefined;
    const subject = await storeSubject(api.deps, name, { projectId, by: maker.id });
    const other = await api.createUser('other');
    if (name.includes(':userId')) await join(other);
    const templateId = await createTemplates();
    const [method = '', path = ''] = name.split(' ');
    const url = path
      .replace('/projects/:id', `/projects/${projectId}`)
      .replace(':projectId', projectId)
      .replace(':agentId', agentId)
      .replace(':userId', other.id)
      .replace('-templates/:id', `-templates/${templateId}`)
      .replace(/:version|:name/, (part) => (part === ':name' ? 'find_rooms' : '1'))
      .replace('/api-keys/:id', `/api-keys/${key?.id}`)
      .replace(':deliveryId', subject)
      .replace(/(erasures|invitations|webhooks)\/:id/, `$1/${subject}`)
      .replace(/:(sessionId|id)/, sessionId)
      .replace(/\/search$/, '/search?q=hello')
      .replace(/\/latest$/, '/latest?since=2026-11-21T08:00:00Z');
    const payload = JSON.parse(
      JSON.stringify(body).replace(':email', other.email).replace(':new', other.id),
    );
    // A stream does not end, so only its status is read.
    const payloadAsStream = url.endsWith('/stream');
    const request: InjectOptions = Object.assign({ url }, method !== 'GET' && { payload }, {
      method,
      payloadAsStream,
    });
    const answer = await api.inject(caller, request);
    const outcome = outcomeOf(answer);
    outcomes.push(outcome);
    if (payloadAsStream) answer.stream().destroy();
    if (outcome === 'absent') await expectSameForNewIds(caller, request, url);
  }
  expect(outcomes).toEqual([row.participant ?? 'absent', 'absent', ...row.people, ...row.keys]);
});

test.each(OTHER_ROUTES)(
  '%s with a key: %s, by a participant: %s',
  async (name, forKey, forOne, payload) => {
    const [method = '', url = ''] = name.split(' ');
    const request: InjectOptions = Object.assign({ url }, payload && { payload }, { method });
    for (const key of await createKeys()) {
      expect(outcomeOf(await api.inject(key, request))).toBe(forKey);
    }
    const participant = await api.createParticipant(
      maker,
      await api.createSession(maker, projectId),
    );
    expect(outcomeOf(await api.inject(participant, request))).toBe(forOne);
  },
);

test('404 for a session in a project of others, in which none is stored', async () => {
  const strangers = [...callers.slice(0, 1), ...(await createKeys()).slice(0, 1)];
  const participant = await api.createParticipant(maker, await api.createSession(maker, projectId));
  const count = async () => await api.deps.database.sql`select count(*) from sessions`;
  const before = await count();
  for (const caller of [...strangers, participant]) {
    const request = { method: 'POST', url: `/projects/${projectId}/sessions` } as const;
    expect(await api.inject(caller, { ...request, payload: { name: 'a' } })).toMatchObject({
      statusCode: 404,
    });
  }
  expect(await count()).toEqual(before);
});

test('401 on every route that requires a token, for deleted and for expired keys', async () => {
  const deleted = await api.createKey(projectId);
  await db.deleteApiKey(api.deps.database, { id: deleted.id, projectId });
  const expired = await api.createKey(projectId);
  await api.deps.database
    .sql`update api_keys set expires_at = now() - interval '1 s' where user_id = ${expired.id}`;
  const statuses = new Set<number>();
  let requests = 0;
  for (const [name] of [...ROUTES, ...OTHER_ROUTES]) {
    const [method = '', path = ''] = name.split(' ');
    const url = path.replaceAll(/:\w+/g, projectId);
    for (const key of [deleted, expired]) {
      // Each request comes from another address, because wrong keys are limited by address.
      requests += 1;
      const remoteAddress = `10.0.${requests}.1`;
      const request: InjectOptions = Object.assign({ url, remoteAddress }, { method });
      statuses.add((await api.inject(key, request)).statusCode);
    }
  }
  expect([...statuses]).toEqual([401]);
});

async function createKeys(): Promise<TestUser[]> {
  const another = await api.createProject(maker);
  return [
    await api.createKey(another, 'ADMIN'),
    await api.createKey(projectId),
    await api.createKey(projectId, 'ADMIN'),
  ];
}

async function join(user: TestUser): Promise<void> {
  const membership = { id: uuidv7(), userId: user.id, projectId, role: 'MEMBER' } as const;
  await db.insertMembership(api.deps.database, membership);
}

/** Creates a template of each kind with one id, and returns the id. */
async function createTemplates(): Promise<string> {
  const { vault, database } = api.deps;
  const id = uuidv7();
  const place = { id, projectId };
  const sealed = vault.seal(KEYS.variables, place);
  const template = { ...place, name: id, keys: ['LLM_API_KEY'], isDefault: false, ...sealed };
  await db.insertEnvTemplate(database, template);
  await db.insertPlanTemplate(database, { ...place, name: id, description: null, ...STEPS });
  const agent = { ...place, name: id, role: 'light-agent', by: maker.id };
  await db.insertAgentTemplate(database, {
    ...agent,
    definition: WITH_TOOL,
  });
  return id;
}

/** Throws unless the 404 is the same for ids that do not exist, because nobody may learn which ids do. */
async function expectSameForNewIds(
  caller: TestUser,
  request: InjectOptions,
  url: string,
): Promise<void> {
  const problems = [];
  for (const asked of [url, url.replace(UUIDS, () => uuidv7())]) {
    const answer = await api.inject(caller, { ...request, url: asked, payloadAsStream: false });
    const { requestId: _id, ...problem } = answer.json();
    problems.push(problem);
  }
  expect(problems[0]).toMatchObject({ status: 404, code: 'not_found' });
  expect(problems[1]).toEqual(problems[0]);
}

/** Returns the outcome that the answer shows. */
function outcomeOf(answer: LightMyRequestResponse): Outcome {
  const { statusCode } = answer;
  if (statusCode === 404) return 'absent';
  if (statusCode === 403) return answer.json().code;
  // There is no media server here. It is asked last, so only a request that is allowed gets that far.
  const isDone = statusCode < 300 || answer.json().code === 'media_unavailable';
  if (isDone) return 'allowed';
  throw new Error(`${statusCode} says nothing about permissions`);
}
