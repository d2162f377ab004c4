import { once } from 'node:events';
import { createServer } from 'node:http';
import { LaunchRefused } from '@session/agents';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTestWithMedia, apiTest as test } from '../../../testing/api-test.ts';

const ANY = expect.any(String);

apiTestWithMedia(
  '200 without problems, and nothing is created, even with an Idempotency-Key',
  async ({ api, ana }) => {
    const sessionId = await api.createSession(ana);
    const headers = { 'idempotency-key': 'once' };
    expect(await dryRun(api, ana, sessionId, { role: 'echo-agent' }, headers)).toEqual({
      ok: true,
      problems: [],
      reach: null,
    });
    expect(await db.listLiveAgents(api.deps.database)).toEqual([]);
    const url = `/sessions/${sessionId}/agents`;
    const payload = { role: 'echo-agent' };
    const started = await api.inject(ana, { method: 'POST', url, payload, headers });
    expect(started.statusCode).toBe(201);
  },
);

test('200, not 503, with a media server that is silent', async ({ ana, sessionId, database }) => {
  await using server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const media = { url: `ws://127.0.0.1:${port}`, apiKey: 'key', apiSecret: 'secret' };
  // Shorter than the timeout of requests to the media server.
  const timeLimits = { requestMs: 500, statementMs: 30_000, serverMs: 30_000 };
  await using api = await startTestApi(database.url, { media, timeLimits });
  expect(await dryRun(api, ana, sessionId, { role: 'echo-agent' })).toEqual({
    ok: false,
    reach: null,
    problems: [{ code: 'media_unavailable', detail: ANY }],
  });
  server.closeAllConnections();
});

test('200 with all problems at once', async ({ database }) => {
  // The media server of this API cannot be reached.
  await using api = await startTestApi(database.url, {
    env: { AGENT_CAPACITY_PER_ACCOUNT: '1' },
    deps: {
      launchCheck: {
        isInstalled: () => false,
        check: async () => {
          throw new LaunchRefused({ reason: 'bad_configuration', detail: 'Not installed.' });
        },
      },
    },
  });
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const config = { echoMode: 'text' };
  const agent = { role: 'light-agent', config, planId: null, envTemplateId: null };
  await db.insertAgent(api.deps.database, { id: uuidv7(), sessionId, createdBy: ana.id, ...agent });
  await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close`, payload: {} });
  const body = { role: 'light-agent', planId: uuidv7() };
  expect(await dryRun(api, ana, sessionId, body)).toEqual({
    ok: false,
    reach: null,
    problems: [
      { code: 'session_closed', detail: ANY },
      {
        code: 'not_found',
        detail:
          'The project has no plan template with this id. Send the id of one of the project’s plan templates.',
      },
      { code: 'agent_capacity', detail: ANY },
      { code: 'media_unavailable', detail: ANY },
      { code: 'env_template_required', detail: expect.stringContaining('LLM_API_KEY') },
      { code: 'agent_already_running', detail: ANY },
      { code: 'bad_configuration', detail: 'Not installed.' },
    ],
  });
});

apiTestWithMedia('200 with the known roles for an unknown role', async ({ api, ana }) => {
  const sessionId = await api.createSession(ana);
  expect(await dryRun(api, ana, sessionId, { role: 'nobody' })).toEqual({
    ok: false,
    reach: null,
    problems: [{ code: 'unknown_role', detail: expect.stringContaining('echo-agent') }],
  });
});

apiTestWithMedia(
  '200 with a template that sets a reserved name, and with a template whose key is lost',
  async ({ api, ana }) => {
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const url = `/projects/${projectId}/env-templates`;
    const payload = { name: 'keys', variables: { LLM_API_KEY: 'hunter2' } };
    const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
    const { vault, database } = api.deps;
    const identity = { id, projectId };
    const lost = { ...vault.seal(payload.variables, identity), keyId: 'lost' };
    const template = {
      ...identity,
      name: 'keys',
      keys: ['LLM_API_KEY'],
      isDefault: false,
      version: 1,
    };
    // As it was stored before the name was reserved.
    const older = vault.seal({ ...payload.variables, NODE_OPTIONS: '' }, identity);
    await db.updateEnvTemplate(database, { ...template, ...older });
    expect(await dryRun(api, ana, sessionId, { role: 'echo-agent', envTemplateId: id })).toEqual({
      ok: false,
      reach: null,
      problems: [{ code: 'bad_configuration', detail: expect.stringContaining('NODE_OPTIONS') }],
    });
    await db.updateEnvTemplate(database, { ...template, version: 2, ...lost });
    expect(await dryRun(api, ana, sessionId, { role: 'core-agent' })).toEqual({
      ok: false,
      reach: null,
      problems: [
        {
          code: 'bad_configuration',
          detail:
            'The values of the agent’s environment template cannot be decrypted with any key of the service: delete the template and create it again.',
        },
      ],
    });
  },
);

apiTestWithMedia(
  '200 with each value of the template that the agent would refuse, by variable and rule, never the value',
  async ({ api, ana }) => {
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const variables = {
      LLM_API_KEY: 'sk-planted',
      LLM_BASE_URL: 'there',
      LLM_TURN_MS: '-1',
      STT_PROVIDER: 'planted',
      TTS_BASE_URL: 'http://169.254.169.254/planted',
    };
    const url = `/projects/${projectId}/env-templates`;
    await api.inject(ana, { method: 'POST', url, payload: { name: 'model', variables } });
    const found = await dryRun(api, ana, sessionId, { role: 'light-agent' });
    const rules = [
      'LLM_BASE_URL is not valid: an http:// or https:// URL.',
      'LLM_TURN_MS is not valid: a whole number from 100 to 3600000.',
      'STT_PROVIDER is not valid: openai, local or none.',
      'TTS_BASE_URL is not valid: an address that is not link-local.',
    ];
    expect(found).toEqual({
      ok: false,
      reach: null,
      problems: rules.map((rule) => ({
        code: 'bad_configuration',
        detail: `${rule} Correct this variable in the agent’s environment template.`,
      })),
    });
  },
);

apiTestWithMedia(
  '200 with a template’s echo mode that no echo agent has, unless the request overrides it',
  async ({ api, ana }) => {
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const url = `/projects/${projectId}/env-templates`;
    const payload = { name: 'loud', variables: { LLM_API_KEY: 'k', ECHO_MODE: 'loud' } };
    await api.inject(ana, { method: 'POST', url, payload });
    const agent = { role: 'echo-agent' };
    expect(await dryRun(api, ana, sessionId, agent)).toMatchObject({
      problems: [
        { code: 'bad_configuration', detail: expect.stringContaining('ECHO_MODE is not') },
      ],
    });
    const config = { echoMode: 'text' };
    expect(await dryRun(api, ana, sessionId, { ...agent, config })).toMatchObject({ ok: true });
  },
);

test('404 for a foreign session, 400 for a dryRun that is neither true nor false', async ({
  api,
}) => {
  const [ana, eve] = [await api.createUser(), await api.createUser('eve')];
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/agents?dryRun=`;
  const payload = { role: 'echo-agent' };
  const foreign = await api.inject(eve, { method: 'POST', url: `${url}true`, payload });
  const maybe = await api.inject(ana, { method: 'POST', url: `${url}maybe`, payload });
  expect([foreign.statusCode, maybe.statusCode]).toEqual([404, 400]);
});

test('429 with Retry-After after 30 dry runs a minute of one user, who starts agents all the same; each asks an endpoint of the user’s choice', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const url = `/sessions/${await api.createSession(ana, projectId)}/agents`;
  const request = {
    method: 'POST',
    url: `${url}?dryRun=true`,
    payload: { role: 'nobody' },
  } as const;
  const statuses: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    statuses.push((await api.inject(ana, request)).statusCode);
  }
  expect(statuses).toEqual([...Array(30).fill(200), ...Array(70).fill(429)]);
  const refused = await api.inject(ana, request);
  expect(refused.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await api.inject(ben, request)).statusCode).toBe(200);
  const start = { method: 'POST', url, payload: { role: 'echo-agent' } } as const;
  const started = await api.inject(ana, start);
  expect(started.statusCode).toBe(201);
  expect(started.headers).not.toHaveProperty('ratelimit-limit');
});

async function dryRun(
  api: TestApi,
  user: TestUser,
  sessionId: string,
  payload: object,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const url = `/sessions/${sessionId}/agents?dryRun=true`;
  const answer = await api.inject(user, { method: 'POST', url, payload, headers });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}
