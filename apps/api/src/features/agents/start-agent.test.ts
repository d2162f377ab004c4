import * as db from '@session/db';
import { expect } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('201 Starting with a Location of the same agent, which the reconciler has to start', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent', config: { echoMode: 'audio' } };
  const created = await start(api, ana, sessionId, payload);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { connect, ...agent } = created.json();
  expect(connect).toBeNull();
  expect([created.statusCode, agent]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      sessionId,
      role: 'echo-agent',
      status: 'Starting',
      config: { echoMode: 'audio', restart: 'never' },
      restarts: 0,
      createdBy: ana.id,
      createdAt: time,
      ...initialState,
    },
  ]);
  const found = await api.inject(ana, { url: String(created.headers.location) });
  expect([found.statusCode, found.json()]).toEqual([200, agent]);
  const { id } = agent;
  expect(await db.listLiveAgents(api.deps.database)).toMatchObject([{ id, desired: 'running' }]);
});

test('201 for any member, and for the alias of the echo agent, which becomes its role', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await api.createSession(ana, projectId);
  const created = await start(api, ben, sessionId, { role: 'the service' });
  expect(created.json()).toMatchObject({ role: 'echo-agent', createdBy: ben.id, config: {} });
});

test('409 for a second agent of a role, even if both are requested at once; agents of other roles may run beside it', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  await createTemplate(api, ana, projectId);
  const sessionId = await api.createSession(ana, projectId);
  const both = await Promise.all(
    [1, 2].map(() => start(api, ana, sessionId, { role: 'echo-agent' })),
  );
  expect(both.map(codeOf).toSorted()).toEqual(['201 ', '409 agent_already_running']);
  expect(codeOf(await start(api, ana, sessionId, { role: 'light-agent' }))).toBe('201 ');
  const alias = await start(api, ana, sessionId, { role: 'the service' });
  expect(codeOf(alias)).toBe('409 agent_already_running');
});

test('409 for a closed session', async ({ api, ana }) => {
  const sessionId = await api.createSession(ana);
  await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
  const refused = await start(api, ana, sessionId, { role: 'echo-agent' });
  expect(codeOf(refused)).toBe('409 session_closed');
});

test('409 exactly from the limit of the account on, in whichever of its projects, however many agents are requested at once', async ({
  database,
}) => {
  const env = { AGENT_CAPACITY_PER_ACCOUNT: '2' };
  await using api = await startTestApi(database.url, { env });
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const sessions = await Promise.all(Array.from({ length: 6 }, () => api.createSession(ana)));
  const answers = await Promise.all(
    sessions.map((sessionId) => start(api, ana, sessionId, { role: 'echo-agent' })),
  );
  const [first, second, ...others] = answers.map(codeOf).toSorted();
  expect([first, second]).toEqual(['201 ', '201 ']);
  expect(new Set(others)).toEqual(new Set(['409 agent_capacity']));
  expect(answers.find(({ statusCode }) => statusCode === 409)?.json().detail).toBe(
    'An account may have at most 2 agents in all its projects. Stop one of them first. What is in a project counts for the owner who created it or took it over.',
  );
  const elsewhere = await start(api, ben, await api.createSession(ben), { role: 'echo-agent' });
  expect(codeOf(elsewhere)).toBe('201 ');
});

test('409 exactly from the limit of the service on, however many accounts start agents at once', async ({
  database,
}) => {
  const inUse = (await agentsIn(database.url)) + 3;
  await using api = await startTestApi(database.url, { env: { AGENT_CAPACITY: `${inUse}` } });
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const user = await api.createUser();
      return await start(api, user, await api.createSession(user), { role: 'echo-agent' });
    }),
  );
  const codes = answers.map(codeOf).toSorted();
  expect(codes.slice(0, 3)).toEqual(['201 ', '201 ', '201 ']);
  expect(codes.slice(3)).toEqual(Array(5).fill('409 service_agent_capacity'));
});

test('201 with AGENT_CAPACITY=0, which means any number as for the limits of an account', async ({
  database,
}) => {
  await using api = await startTestApi(database.url, { env: { AGENT_CAPACITY: '0' } });
  const ana = await api.createUser();
  const started = await start(api, ana, await api.createSession(ana), { role: 'echo-agent' });
  expect(codeOf(started)).toBe('201 ');
});

test('401 for an external agent whose key is rotated with keepOldHours 0 before the turn of the start', async ({
  api,
  ana,
  database,
}) => {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const key = await api.createKey(projectId);
  const { createOnce } = api.deps;
  const late: typeof createOnce = async (...creation) => {
    const url = `/api-keys/${key.id}/rotate`;
    await api.inject(ana, { method: 'POST', url, payload: { keepOldHours: 0 } });
    return await createOnce(...creation);
  };
  await using other = await startTestApi(database.url, { deps: { createOnce: late } });
  const refused = await start(other, key, sessionId, { role: 'external' });
  expect(codeOf(refused)).toBe('401 unauthorized');
  const { items } = (await api.inject(ana, { url: `/sessions/${sessionId}/agents` })).json();
  expect(items).toEqual([]);
});

test('400 with the known roles for an unknown role', async ({ api, ana }) => {
  const refused = await start(api, ana, await api.createSession(ana), { role: 'parrot' });
  expect([codeOf(refused), refused.json().detail]).toEqual([
    '400 unknown_role',
    expect.stringContaining('echo-agent, light-agent, core-agent, conversational-ai'),
  ]);
});

test('404 for a foreign session, and for a template or plan of another project', async ({
  api,
}) => {
  const [ana, eve] = [await api.createUser(), await api.createUser('eve')];
  const sessionId = await api.createSession(ana);
  expect(codeOf(await start(api, eve, sessionId, { role: 'echo-agent' }))).toBe('404 not_found');
  const elsewhere = await api.createProject(ana);
  const [foreign, plan] = [
    await createTemplate(api, ana, elsewhere),
    await createPlan(api, ana, elsewhere),
  ];
  const named = [{ planId: 'plan' }, { planId: sessionId }, { planId: plan }];
  const templates = [{ envTemplateId: 'x' }, { envTemplateId: plan }, { envTemplateId: foreign }];
  for (const template of [...named, ...templates]) {
    const refused = await start(api, ana, sessionId, { role: 'echo-agent', ...template });
    expect(codeOf(refused)).toBe('404 not_found');
  }
});

test('201 with the named template, otherwise the default, otherwise the only one; 400 without a template that the role needs', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const started = async (payload: object = {}) => {
    const sessionId = await api.createSession(ana, projectId);
    return await start(api, ana, sessionId, { role: 'light-agent', ...payload });
  };
  const chosen = async (payload?: object) => (await started(payload)).json().envTemplateId;
  const none = await started();
  expect([codeOf(none), none.json().detail]).toEqual([
    '400 env_template_required',
    expect.stringContaining('LLM_API_KEY'),
  ]);
  const echo = await start(api, ana, await api.createSession(ana, projectId), {
    role: 'echo-agent',
  });
  expect(echo.json()).toMatchObject({ status: 'Starting', envTemplateId: null });
  const first = await createTemplate(api, ana, projectId);
  expect(await chosen()).toBe(first);
  const second = await createTemplate(api, ana, projectId);
  expect(codeOf(await started())).toBe('400 env_template_required');
  expect(await chosen({ envTemplateId: first })).toBe(first);
  const change = { method: 'PATCH', payload: { isDefault: true } } as const;
  await api.inject(ana, { url: `/env-templates/${second}`, ...change });
  expect(await chosen()).toBe(second);
  expect(await chosen({ envTemplateId: first.toUpperCase() })).toBe(first);
});

test('400 for a template that lacks a variable of the role, with the template’s name', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const identity = { id: await createTemplate(api, ana, projectId), projectId };
  const bare = { ...identity, name: 'bare', keys: [], isDefault: false, version: 1 };
  await db.updateEnvTemplate(api.deps.database, {
    ...bare,
    ...api.deps.vault.seal({}, identity),
  });
  const sessionId = await api.createSession(ana, projectId);
  const refused = await start(api, ana, sessionId, { role: 'core-agent' });
  expect([codeOf(refused), refused.json().detail]).toEqual([
    '400 env_template_required',
    'The role core-agent needs LLM_API_KEY, which the template “bare” lacks. Complete the template, or name another one.',
  ]);
});

test('the agents of a deleted template stay, without a reference to it', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const envTemplateId = await createTemplate(api, ana, projectId);
  const planId = await createPlan(api, ana, projectId);
  const sessionId = await api.createSession(ana, projectId);
  const { id, ...agent } = (
    await start(api, ana, sessionId, { role: 'light-agent', planId })
  ).json();
  expect(agent).toMatchObject({ envTemplateId, planId });
  await api.inject(ana, { method: 'DELETE', url: `/env-templates/${envTemplateId}` });
  await api.inject(ana, { method: 'DELETE', url: `/plan-templates/${planId}` });
  const found = (await api.inject(ana, { url: `/agents/${id}` })).json();
  expect(found).toMatchObject({ status: 'Starting', envTemplateId: null, planId: null });
});

test.for<[object]>([
  [{}],
  [{ role: '' }],
  [{ role: 7 }],
  [{ role: 'echo-agent', config: { echoMode: 'loud' } }],
  [{ role: 'echo-agent', config: { restart: 'always' } }],
  [{ role: 'echo-agent', config: { volume: 3 } }],
  [{ role: 'echo-agent', config: null }],
  [{ role: 'echo-agent', status: 'Running' }],
])('400 for %o', async ([payload], { api, ana }) => {
  const refused = await start(api, ana, await api.createSession(ana), payload);
  expect(codeOf(refused)).toBe('400 invalid_request');
});

async function agentsIn(databaseUrl: string): Promise<number> {
  await using api = await startTestApi(databaseUrl);
  return (await db.listLiveAgents(api.deps.database)).length;
}

async function createTemplate(api: TestApi, user: TestUser, projectId: string): Promise<string> {
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: `keys ${Math.random()}`, variables: { LLM_API_KEY: 'key' } };
  return (await api.inject(user, { method: 'POST', url, payload })).json().id;
}

async function createPlan(api: TestApi, user: TestUser, projectId: string): Promise<string> {
  const url = `/projects/${projectId}/plan-templates`;
  const payload = { name: 'plan', steps: [{ title: 'Name', instructions: 'Ask for it.' }] };
  return (await api.inject(user, { method: 'POST', url, payload })).json().id;
}

const initialState = {
  agentTemplateId: null,
  agentTemplateVersion: null,
  variables: {},
  reason: null,
  detail: null,
  exitCode: null,
  planId: null,
  envTemplateId: null,
  startedAt: null,
  runningAt: null,
  stoppedAt: null,
};

async function start(api: TestApi, user: TestUser, sessionId: string, payload: object) {
  return await api.inject(user, { method: 'POST', url: `/sessions/${sessionId}/agents`, payload });
}

function codeOf(answer: { statusCode: number; json(): { code?: string } }): string {
  return `${answer.statusCode} ${answer.json().code ?? ''}`;
}
