import type { LightMyRequestResponse } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { agentTemplateTest, DESK } from '../../../testing/agent-templates.ts';
import type { TestUser } from '../../../testing/api.ts';

/** As `agentTemplateTest`, with `start`: a start in a session of the project, which has an environment template. */
const test = agentTemplateTest.extend('start', async ({ api, ana, projectId }) => {
  const variables = { LLM_API_KEY: 'rehearsal', HOTEL_KEY: 'sk-hotel' };
  await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/env-templates`,
    payload: { name: 'keys', variables },
  });
  const sessionId = await api.createSession(ana, projectId);
  return async (
    payload: object,
    { as = ana, key, at = sessionId }: { as?: TestUser; key?: string; at?: string } = {},
  ): Promise<LightMyRequestResponse> =>
    await api.inject(as, {
      method: 'POST',
      url: `/sessions/${at}/agents`,
      payload,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
});

function idOf(url: string): string {
  return url.split('/').at(-1) ?? '';
}

test('201 with the role, the newest version and the value of each variable, for a MEMBER', async ({
  api,
  projectId,
  templates,
  start,
}) => {
  const url = await templates.create();
  await templates.ask('PATCH', url, { name: 'Desk' });
  const member = await api.createKey(projectId);
  const agentTemplateId = idOf(url);
  const started = await start({ agentTemplateId, variables: { guest: 'Ada' } }, { as: member });
  const agent = {
    role: 'light-agent',
    planId: null,
    agentTemplateId,
    agentTemplateVersion: 2,
    variables: { hotel: 'our hotel', guest: 'Ada' },
    config: { restart: 'on-failure' },
  };
  expect([started.statusCode, started.json()]).toMatchObject([201, agent]);
  const found = await api.inject(member, { url: String(started.headers.location) });
  const { connect: _connect, ...shown } = started.json();
  expect(found.json()).toEqual(shown);
  const { sessionId } = shown;
  const list = await api.inject(member, { url: `/sessions/${sessionId}/agents` });
  expect(list.json().items).toEqual([shown]);
  const again = await start({ agentTemplateId, variables: { guest: 'Bob' } });
  expect(again.json().code).toBe('agent_already_running');
  const other = idOf(await templates.create({ name: 'Sales' }));
  const beside = await start({ agentTemplateId: other, variables: { guest: 'Bob' } });
  expect([beside.statusCode, beside.json().role]).toEqual([201, 'light-agent']);
});

test('a named version is used, and an Idempotency-Key starts one agent though a new version came', async ({
  templates,
  start,
}) => {
  const url = await templates.create();
  const agentTemplateId = idOf(url);
  const body = { agentTemplateId, variables: { guest: 'Ada' } };
  const first = await start(body, { key: 'one' });
  await templates.ask('PATCH', url, { name: 'Desk' });
  const again = await start(body, { key: 'one' });
  expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first.json(), 'true']);
  const other = await start({ ...body, variables: { guest: 'Bob' } }, { key: 'one' });
  expect(other.json().code).toBe('idempotency_key_reused');
});

test('an agent of a former version is started with its creation of a session', async ({
  api,
  ana,
  projectId,
  templates,
  start,
}) => {
  expect(start).toBeDefined();
  const url = await templates.create();
  await templates.ask('PATCH', url, { name: 'Desk' });
  const variables = { guest: 'Ada' };
  const agents = [
    { agentTemplateId: idOf(url), agentTemplateVersion: 1, variables },
    { agentTemplateId: idOf(url) },
  ];
  const payload = { name: 'Hello', agents };
  const made = await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/sessions`,
    payload,
  });
  expect(made.json().agents).toMatchObject([
    { agent: { agentTemplateVersion: 1, role: 'light-agent' } },
    { problem: { code: 'missing_variable' } },
  ]);
});

test('404 for a template of another project, one that is unknown, and a version that is not kept', async ({
  api,
  ana,
  templates,
  start,
}) => {
  const url = await templates.create();
  const variables = { guest: 'Ada' };
  const elsewhere = await api.createSession(ana);
  const agentTemplateId = idOf(url);
  const answers = [
    await start({ agentTemplateId, variables }, { at: elsewhere }),
    await start({ agentTemplateId: uuidv7(), variables }),
    await start({ agentTemplateId: 'desk', variables }),
    await start({ agentTemplateId, agentTemplateVersion: 2, variables }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
  expect(answers[3]?.json().detail).toContain('with this id and the version 2.');
});

test.for<[string, object, string, RegExp]>([
  ['a required value that is missing', {}, 'missing_variable', /value for guest/],
  ['an empty one', { variables: { guest: '' } }, 'missing_variable', /guest/],
  [
    'an unknown variable',
    { variables: { guest: 'Ada', room: '7' } },
    'invalid_request',
    /no variable room\. It has hotel, guest\./,
  ],
  [
    'a long value',
    { variables: { guest: 'x'.repeat(21) } },
    'invalid_request',
    /guest may have at most 20 characters/,
  ],
  ['two lines', { variables: { guest: 'a\nb' } }, 'invalid_request', /one line/],
  ['a control character', { variables: { guest: 'a\u0007' } }, 'invalid_request', /one line/],
  ['a line separator', { variables: { guest: 'a\u2028b' } }, 'invalid_request', /one line/],
  ['a role', { role: 'light-agent' }, 'invalid_request', /the agent template has the role/],
  ['a plan', { planId: 'a' }, 'invalid_request', /the agent template has the plan/],
])('400 for %s', async ([, part, code, detail], { templates, start }) => {
  const agentTemplateId = idOf(await templates.create());
  const answer = await start({ agentTemplateId, ...part });
  expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
  expect(JSON.stringify(answer.json())).toMatch(detail);
});

test('400 for variables or a version without a template, and without role and template', async ({
  start,
}) => {
  for (const body of [
    {},
    { role: 'echo-agent', variables: {} },
    { role: 'echo-agent', agentTemplateVersion: 1 },
    { agentTemplateId: null },
  ]) {
    expect([body, (await start(body)).statusCode]).toEqual([body, 400]);
  }
});

test('400 for values with which a text becomes too long, or a URL names another resource', async ({
  templates,
  start,
}) => {
  const variables = [{ name: 'a', maxLength: 2000 }];
  const greeting = '{{a}}'.repeat(20);
  const long = idOf(await templates.create({ ...EMPTY, variables, greeting }));
  const answer = await start({ agentTemplateId: long, variables: { a: 'x'.repeat(200) } });
  expect([answer.statusCode, answer.json().detail]).toEqual([
    400,
    'With its variables filled in, greeting is not valid: at most 2000 characters.',
  ]);
  const steps = Array.from({ length: 10 }, () => ({
    title: 'T',
    instructions: '{{a}}'.repeat(1000),
  }));
  const plan = { name: 'P', steps };
  const huge = idOf(await templates.create({ ...EMPTY, variables, plan }));
  const refused = await start({ agentTemplateId: huge, variables: { a: 'x'.repeat(2000) } });
  expect([refused.statusCode, refused.json().detail]).toEqual([
    400,
    expect.stringContaining('more than 100000 bytes'),
  ]);
  const request = { method: 'GET', url: 'https://api.hotel.example/rooms/{{a}}/free' };
  const tools = [
    {
      ...DESK.tools[0],
      description: 'Rooms',
      parameters: { type: 'object', properties: {} },
      request,
    },
  ];
  const paths = idOf(await templates.create({ ...EMPTY, variables, tools }));
  for (const a of ['..', '.']) {
    const dots = await start({ agentTemplateId: paths, variables: { a } });
    expect([a, dots.statusCode]).toEqual([a, 400]);
  }
});

const EMPTY = {
  instructions: null,
  greeting: null,
  failureMessage: null,
  plan: null,
  tools: null,
  mcpServers: null,
  handover: null,
};
