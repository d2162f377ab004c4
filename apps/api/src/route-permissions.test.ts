import type { MemberRole } from '@session/contract';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../testing/api.ts';

type Outcome = 'absent' | 'forbidden' | 'allowed';
/** The outcomes for a stranger, a MEMBER, an ADMIN and an OWNER, for an object that another member created. */
type Row = readonly [stranger: Outcome, MEMBER: Outcome, ADMIN: Outcome, OWNER: Outcome];

const forMembers: Row = ['absent', 'allowed', 'allowed', 'allowed'];
const forAdmins: Row = ['absent', 'forbidden', 'allowed', 'allowed'];
const forOwners: Row = ['absent', 'forbidden', 'forbidden', 'allowed'];

const KEYS = { variables: { LLM_API_KEY: 'key' } };
const STEPS = { steps: [{ id: 'name', title: 'Name', instructions: 'Ask for it.' }] };

/** Every route about a project, with a valid body where it takes one. */
const routes: [string, Row, object?][] = [
  ['GET /projects/:id', forMembers],
  ['PATCH /projects/:id', forAdmins, { name: 'renamed' }],
  ['DELETE /projects/:id', forOwners],
  ['GET /projects/:id/members', forMembers],
  ['POST /projects/:id/members', forAdmins, { email: ':email' }],
  ['PATCH /projects/:id/members/:userId', forOwners, { role: 'ADMIN' }],
  ['DELETE /projects/:id/members/:userId', forAdmins],
  ['GET /projects/:projectId/sessions', forMembers],
  ['POST /projects/:projectId/sessions', forMembers, { name: 'mine' }],
  ['GET /sessions/:id', forMembers],
  ['PATCH /sessions/:id', forMembers, { name: 'renamed' }],
  ['DELETE /sessions/:id', forAdmins],
  ['POST /sessions/:id/close', forAdmins, {}],
  ['POST /sessions/:id/token', forMembers, {}],
  ['GET /sessions/:sessionId/messages', forMembers],
  ['GET /sessions/:sessionId/messages/latest', forMembers],
  ['GET /sessions/:sessionId/export', forMembers],
  ['GET /sessions/:sessionId/state', forMembers],
  ['POST /sessions/:sessionId/messages', forMembers, { content: 'hello' }],
  ['POST /sessions/:sessionId/agents', forMembers, { role: 'echo-agent' }],
  ['GET /sessions/:sessionId/agents', forMembers],
  ['GET /agents/:agentId', forMembers],
  ['GET /agents/:agentId/logs', forMembers],
  ['GET /agents/:agentId/timeline', forMembers],
  ['DELETE /agents/:agentId', forAdmins],
  ['GET /projects/:projectId/env-templates', forMembers],
  ['POST /projects/:projectId/env-templates', forAdmins, { name: ':new', ...KEYS }],
  ['GET /env-templates/:id', forMembers],
  ['PATCH /env-templates/:id', forAdmins, KEYS],
  ['DELETE /env-templates/:id', forAdmins],
  ['GET /projects/:projectId/plan-templates', forMembers],
  ['POST /projects/:projectId/plan-templates', forAdmins, { name: 'mine', ...STEPS }],
  ['GET /plan-templates/:id', forMembers],
  ['PATCH /plan-templates/:id', forAdmins, STEPS],
  ['DELETE /plan-templates/:id', forAdmins],
];

/** The routes about the user who asks, or about no user. */
const others = [
  'GET /auth/me',
  'GET /projects',
  'POST /projects',
  'GET /agent-types',
  'GET /monitoring/stats',
];

let owned: AsyncDisposable;
let api: TestApi;
let maker: TestUser;
let projectId: string;
let callers: TestUser[];
let roles: [TestUser, MemberRole][];

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  // One account makes all that there is.
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
  const listed = [...routes.map(([name]) => name), ...others];
  expect(guarded.map(({ method, url }) => `${String(method)} ${url}`).toSorted()).toEqual(
    listed.toSorted(),
  );
});

test.each(routes)('%s: stranger, MEMBER, ADMIN and OWNER get %j', async (name, row, body = {}) => {
  const outcomes: Outcome[] = [];
  for (const caller of callers) {
    const sessionId = await api.createSession(maker, projectId);
    const agentId = name.includes(':agentId') ? await createAgent(sessionId) : '';
    const other = await api.createUser('other');
    if (name.includes(':userId')) await join(other);
    const templateId = await createTemplates();
    const [method = '', path = ''] = name.split(' ');
    const url = path
      .replace('/projects/:id', `/projects/${projectId}`)
      .replace(':projectId', projectId)
      .replace(':agentId', agentId)
      .replace(':userId', other.id)
      .replace('/env-templates/:id', `/env-templates/${templateId}`)
      .replace('/plan-templates/:id', `/plan-templates/${templateId}`)
      .replace(/:(sessionId|id)/, sessionId)
      .replace(/\/latest$/, '/latest?since=2026-11-21T08:00:00Z');
    const payload = JSON.parse(
      JSON.stringify(body).replace(':email', other.email).replace(':new', other.id),
    );
    const request: InjectOptions = Object.assign({ url }, method !== 'GET' && { payload }, {
      method,
    });
    outcomes.push(outcomeOf(await api.inject(caller, request)));
  }
  expect(outcomes).toEqual(row);
});

async function join(user: TestUser): Promise<void> {
  const membership = { id: uuidv7(), userId: user.id, projectId, role: 'MEMBER' } as const;
  await db.insertMembership(api.deps.database, membership);
}

async function createAgent(sessionId: string): Promise<string> {
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: maker.id };
  await db.insertAgent(api.deps.database, {
    ...agent,
    planId: null,
    envTemplateId: null,
    config: {},
  });
  return agent.id;
}

/** Creates an environment template and a plan template of one id, and returns the id. */
async function createTemplates(): Promise<string> {
  const { vault, database } = api.deps;
  const id = uuidv7();
  const place = { id, projectId };
  const sealed = vault.seal(KEYS.variables, place);
  const template = { ...place, name: id, keys: ['LLM_API_KEY'], isDefault: false, ...sealed };
  await db.insertEnvTemplate(database, template);
  await db.insertPlanTemplate(database, { ...place, name: id, description: null, ...STEPS });
  return id;
}

/** Returns what the answer says about permissions. */
function outcomeOf(answer: LightMyRequestResponse): Outcome {
  const { statusCode } = answer;
  if (statusCode === 404) return 'absent';
  if (statusCode === 403) return 'forbidden';
  // There is no media server here. It is asked last, so only a request that is allowed gets that far.
  const isDone = statusCode < 300 || answer.json().code === 'media_unavailable';
  if (isDone) return 'allowed';
  throw new Error(`${statusCode} says nothing about permissions`);
}
