import type { Agent, StartedAgent } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { expect } from 'vitest';
import { agentTemplateTest, DESK } from '../../../testing/agent-templates.ts';
import type { TestUser } from '../../../testing/api.ts';

const PUBLIC_URL = 'wss://media.example.org';
const REFUSED = { code: 'forbidden', detail: expect.stringContaining('Start another agent') };

/** As `agentTemplateTest`, with `start`: starts an external agent in a new session of the project. */
const test = agentTemplateTest
  .extend('options', () => ({ env: { MEDIA_PUBLIC_URL: PUBLIC_URL } }))
  .extend('start', ({ api, ana, projectId }) => {
    return async (
      more: object = {},
      headers: Record<string, string> = {},
      as: TestUser = ana,
      within = projectId,
    ) => {
      const sessionId = await api.createSession(ana, within);
      const url = `/sessions/${sessionId}/agents`;
      const payload = { role: 'external', ...more };
      return {
        url,
        again: () => api.inject(as, { method: 'POST', url, payload, headers }),
        answer: await api.inject(as, { method: 'POST', url, payload, headers }),
      };
    };
  });

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

test('201 with the variables with which the agent joins its room, for a MEMBER; the token is of kind agent, and for ten minutes', async ({
  api,
  projectId,
  start,
}) => {
  const { answer } = await start({}, {}, await api.createKey(projectId));
  const { connect, ...agent }: StartedAgent = answer.json();
  const { id, sessionId } = agent;
  expect([answer.statusCode, answer.headers['cache-control'], agent]).toMatchObject([
    201,
    'no-store',
    { role: 'external', status: 'Starting', restarts: 0, envTemplateId: null },
  ]);
  expect(connect).toEqual({
    MEDIA_URL: PUBLIC_URL,
    MEDIA_TOKEN: expect.any(String),
    MEDIA_ROOM: sessionId,
    MEDIA_PACKET_KEY: expect.stringMatching(/^[\w-]{43}$/),
    SESSION_ID: sessionId,
    AGENT_ID: id,
    PROJECT_ID: projectId,
    expiresAt: expect.any(String),
  });
  const { sub, kind, exp, nbf, video } = claimsOf(connect?.MEDIA_TOKEN ?? '');
  expect([sub, kind, exp - nbf]).toEqual([
    agentIdentity({ role: 'external', agentId: id }),
    'agent',
    600,
  ]);
  expect(video).toMatchObject({ room: sessionId, roomJoin: true });
  expect(video.hidden ?? video.roomAdmin).toBeUndefined();
});

test('a repeat with the same Idempotency-Key shows no token; all later answers show the agent without `connect`', async ({
  api,
  ana,
  start,
}) => {
  const { answer, again, url } = await start({}, { 'idempotency-key': 'one' });
  const { connect, ...agent }: StartedAgent = answer.json();
  expect(connect).not.toBeNull();
  const repeated = await again();
  expect([repeated.statusCode, repeated.json()]).toEqual([201, { ...agent, connect: null }]);
  expect((await api.inject(ana, { url: `/agents/${agent.id}` })).json()).toEqual(agent);
  expect((await api.inject(ana, { url })).json().items).toEqual([agent]);
});

test('with an agent template `connect` has its instructions, plan and tools, filled in, and no value of an environment template', async ({
  api,
  ana,
  projectId,
  templates,
  start,
}) => {
  const variables = { LLM_API_KEY: 'sk-model', HOTEL_KEY: 'sk-hotel' };
  const hosts = { HOTEL_KEY: ['api.hotel.example'] };
  const payload = { name: 'keys', variables, hosts, isDefault: true };
  const url = `/projects/${projectId}/env-templates`;
  expect((await api.inject(ana, { method: 'POST', url, payload })).statusCode).toBe(201);
  const agentTemplateId = (await templates.create()).split('/').at(-1);
  const { answer } = await start({ agentTemplateId, variables: { guest: 'Ada' } });
  expect(answer.json()).toMatchObject({ role: 'external', agentTemplateVersion: 1 });
  const { connect } = answer.json();
  expect(connect).toMatchObject({
    INSTRUCTIONS: 'You take bookings for our hotel.',
    GREETING: 'Welcome to our hotel, Ada.',
    LLM_MODEL: DESK.model.name,
  });
  expect(JSON.parse(connect.PLAN).steps).toMatchObject([{ instructions: 'Ask Ada for the day.' }]);
  const { tools, hosts: shownHosts } = JSON.parse(connect.AGENT_DEFINITION);
  expect([tools[0].request.headers, shownHosts]).toEqual([
    { authorization: 'Bearer {{env.HOTEL_KEY}}' },
    {},
  ]);
  expect(answer.body).not.toMatch(/sk-/);
  const next = await api.inject(ana, { method: 'POST', url: `/agents/${answer.json().id}/token` });
  const { MEDIA_TOKEN: _token, expiresAt: _until, ...same } = connect;
  expect([next.statusCode, next.json()]).toMatchObject([201, same]);
  expect(next.body).not.toMatch(/sk-/);
});

test('`connect` has the plan and what was said before', async ({ api, ana, projectId, start }) => {
  const steps = [{ id: 'day', title: 'Day', instructions: 'Ask.' }];
  const plans = `/projects/${projectId}/plan-templates`;
  const made = await api.inject(ana, { method: 'POST', url: plans, payload: { name: 'P', steps } });
  const { answer } = await start({ planId: made.json().id });
  const { id, sessionId, connect } = answer.json();
  expect([JSON.parse(connect.PLAN).steps, connect.CONVERSATION]).toMatchObject([steps, undefined]);
  const say = { method: 'POST', url: `/sessions/${sessionId}/messages` } as const;
  await api.inject(ana, { ...say, payload: { content: 'Is anybody here?' } });
  const next = await api.inject(ana, { method: 'POST', url: `/agents/${id}/token` });
  const { history } = JSON.parse(next.json().CONVERSATION);
  expect(history).toMatchObject([{ role: 'user', content: 'Is anybody here?' }]);
});

test('Accept: text/plain gives the lines of a file .env', async ({ api, ana, start }) => {
  const accept = { accept: 'text/plain' };
  const { answer } = await start({}, accept);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  const id = /^AGENT_ID='(.{36})'$/m.exec(answer.body)?.[1] ?? '';
  expect(answer.body).toContain(`\nMEDIA_URL='${PUBLIC_URL}'\n`);
  const url = `/agents/${id}/token`;
  const next = await api.inject(ana, { method: 'POST', url, headers: accept });
  expect(next.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(next.body).toMatch(/^MEDIA_TOKEN='ey[\w.-]+'$/m);
});

test('400 for what the service would not use, 409 for a second external agent, and a dry run tells both', async ({
  api,
  ana,
  start,
}) => {
  for (const [field, more] of [
    ['envTemplateId', { envTemplateId: 'x' }],
    ['config', { config: { restart: 'never' } }],
    ['agentTemplateVersion', { agentTemplateVersion: 1 }],
  ] as const) {
    const { answer } = await start(more);
    expect([answer.statusCode, answer.json().detail]).toEqual([
      400,
      expect.stringContaining(field),
    ]);
  }
  const { again, url } = await start();
  expect((await again()).json().code).toBe('agent_already_running');
  const dry = { method: 'POST', url: `${url}?dryRun=true`, payload: { role: 'external' } } as const;
  const { problems } = (await api.inject(ana, dry)).json();
  expect(problems.map(({ code }: { code: string }) => code)).toEqual([
    'media_unavailable',
    'agent_already_running',
  ]);
});

test('403 for whoever did not start the agent, even an OWNER; 201 for who started it, a MEMBER or a rotated key too', async ({
  api,
  ana,
  start,
}) => {
  const [ben, cleo] = [await api.createUser('ben'), await api.createUser('cleo')];
  const projectId = await api.createProject(ana, [
    [ben, 'MEMBER'],
    [cleo, 'ADMIN'],
  ]);
  const [key, other] = [await api.createKey(projectId), await api.createKey(projectId, 'ADMIN')];
  const callers = [ana, ben, cleo, key, other];
  for (const starter of [ben, key]) {
    const { answer } = await start({}, {}, starter, projectId);
    const url = `/agents/${answer.json().id}/token`;
    for (const caller of callers) {
      const next = await api.inject(caller, { method: 'POST', url });
      const body = caller === starter ? { AGENT_ID: answer.json().id } : REFUSED;
      expect([next.statusCode, next.json()]).toMatchObject([caller === starter ? 201 : 403, body]);
      expect(next.body.includes('MEDIA_TOKEN')).toBe(caller === starter);
    }
    const rotate = { method: 'POST', url: `/api-keys/${key.id}/rotate`, payload: {} } as const;
    const { secret } = (await api.inject(ana, rotate)).json();
    const rotated = await api.inject({ ...key, token: secret }, { method: 'POST', url });
    expect(rotated.statusCode).toBe(starter === key ? 201 : 403);
  }
});

test('409 for an agent that the service runs, and for one that has stopped or is about to', async ({
  api,
  ana,
  start,
}) => {
  const { answer, url } = await start();
  const { id }: Agent = answer.json();
  const payload = { role: 'echo-agent' };
  const echo: Agent = (await api.inject(ana, { method: 'POST', url, payload })).json();
  const ask = async (agentId: string) => {
    const next = await api.inject(ana, { method: 'POST', url: `/agents/${agentId}/token` });
    return [next.statusCode, next.json().code, next.body.includes('MEDIA_TOKEN')];
  };
  const refused = [409, 'conflict', false];
  expect(await ask(echo.id)).toEqual(refused);
  await api.inject(ana, { method: 'DELETE', url: `/agents/${id}` });
  expect(await ask(id)).toEqual(refused);
  const end = { reason: 'requested', detail: null, exitCode: null };
  await db.updateAgentState(api.deps.database, id, { status: 'Stopped', ...end });
  expect(await ask(id)).toEqual(refused);
});

test('200 with no lines and the source `none` for its log', async ({ api, ana, start }) => {
  const { answer } = await start();
  const { id }: Agent = answer.json();
  const log = await api.inject(ana, { url: `/agents/${id}/logs` });
  expect([log.statusCode, log.json()]).toEqual([
    200,
    { items: [], nextSince: null, complete: false, source: 'none' },
  ]);
});
