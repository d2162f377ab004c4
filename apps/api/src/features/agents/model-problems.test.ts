import type { RequestListener } from 'node:http';
import { serve } from '@session/testing/serve';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const KEY = 'sk-planted-4471';

/** Returns an endpoint on the loopback interface, with the requests that it gets. */
async function endpoint(listener: RequestListener) {
  const asked: string[] = [];
  const server = await serve((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    listener(request, response);
  });
  return { ...server, asked };
}

const OPENED = { AGENT_MODEL_NETWORKS: '127.0.0.0/8,::1/128' };

/** Returns what a dry run answers for a light agent whose model is at this address. */
async function dryRun(
  databaseUrl: string,
  baseUrl: string,
  env: Record<string, string> = OPENED,
  fallback: Record<string, string> = {},
) {
  await using api = await startTestApi(databaseUrl, {
    env,
    deps: { launchCheck: { isInstalled: () => true, check: async () => {} } },
  });
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const variables = { LLM_API_KEY: KEY, LLM_BASE_URL: baseUrl, ...fallback };
  await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/env-templates`,
    payload: { name: 'model', variables },
  });
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${sessionId}/agents?dryRun=true`,
    payload: { role: 'light-agent' },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain(KEY);
  const { problems }: { problems: { code: string; detail: string }[] } = answer.json();
  // The media server of these tests cannot be reached.
  return problems.filter(({ code }) => code !== 'media_unavailable');
}

test('200 without problems when the model answers; its endpoint is asked once', async ({
  database,
}) => {
  await using model = await endpoint((_, response) => response.end('{"data":[]}'));
  expect(await dryRun(database.url, `http://127.0.0.1:${model.port}/v1`)).toEqual([]);
  expect(model.asked).toEqual([`GET /v1/models Bearer ${KEY}`]);
});

test('200 with the problems of the fallback model, which names its own variables', async ({
  database,
}) => {
  await using model = await endpoint((_, response) => response.end('{"data":[]}'));
  await using other = await endpoint((_, response) => response.writeHead(401).end());
  const problems = await dryRun(database.url, `http://127.0.0.1:${model.port}/v1`, OPENED, {
    LLM_FALLBACK_API_KEY: 'another-key',
    LLM_FALLBACK_BASE_URL: `http://127.0.0.1:${other.port}/v1`,
  });
  expect(problems).toEqual([
    {
      code: 'model_refused',
      detail:
        'The fallback model refuses the request: the endpoint answered HTTP 401. Check LLM_FALLBACK_BASE_URL and LLM_FALLBACK_API_KEY in the agent’s environment template.',
    },
  ]);
  expect(other.asked).toEqual(['GET /v1/models Bearer another-key']);
});

test('200 with model_unreachable where nothing listens', async ({ database }) => {
  const model = await endpoint(() => {});
  await model[Symbol.asyncDispose]();
  expect(await dryRun(database.url, `http://127.0.0.1:${model.port}/v1`)).toEqual([
    { code: 'model_unreachable', detail: expect.stringContaining('Check LLM_BASE_URL') },
  ]);
});

test.for([
  [401, 'model_refused'],
  [403, 'model_refused'],
  [500, 'model_unreachable'],
] as const)(
  '200 for an endpoint that answers %i, with %s and none of its words',
  async ([status, code], { database }) => {
    await using model = await endpoint((request, response) => {
      response.writeHead(status).end(`a secret of this network, ${request.headers.authorization}`);
    });
    const detail = expect.not.stringContaining('secret of this network');
    expect(await dryRun(database.url, `http://127.0.0.1:${model.port}/v1`)).toEqual([
      { code, detail },
    ]);
  },
);

test('the key goes to no other host, and no redirect is followed', async ({ database }) => {
  await using other = await endpoint((_, response) => response.end('{}'));
  await using model = await endpoint((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/v1/models` }).end();
  });
  const found = await dryRun(database.url, `http://127.0.0.1:${model.port}/v1`);
  expect(found).toMatchObject([{ code: 'model_refused' }]);
  expect(other.asked).toEqual([]);
});

test.for(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'])(
  'a private address is not asked unless the operator opens its network: %s',
  async (host, { database }) => {
    await using model = await endpoint((_, response) => response.writeHead(401).end());
    expect(await dryRun(database.url, `http://${host}:${model.port}/v1`, {})).toEqual([]);
    expect(model.asked).toEqual([]);
  },
);

test('behind a proxy, which resolves names itself, a name is asked only where all networks are open', async ({
  database,
}) => {
  await using proxy = await endpoint((_, response) => response.writeHead(401).end());
  const proxied = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const ask = async (host: string, networks: string) => {
    const env = { ...proxied, AGENT_MODEL_NETWORKS: networks };
    return await dryRun(database.url, `http://${host}/v1`, env);
  };
  // Neither a name that only the proxy resolves, nor a name with a public address here and a private one there.
  for (const name of ['vault.internal.example', 'localhost']) {
    expect(await ask(name, '127.0.0.0/8,::1/128')).toEqual([]);
    expect(await ask(name, '0.0.0.0/0')).toEqual([]);
  }
  expect(await ask('10.0.0.1', '')).toEqual([]);
  expect(proxy.asked).toEqual([]);
  const refused = [{ code: 'model_refused', detail: expect.any(String) }];
  expect(await ask('localhost', '0.0.0.0/0,::/0')).toEqual(refused);
  expect(await ask('10.0.0.1', '10.0.0.0/8')).toEqual(refused);
  expect(proxy.asked).toEqual([
    `GET http://localhost/v1/models Bearer ${KEY}`,
    `GET http://10.0.0.1/v1/models Bearer ${KEY}`,
  ]);
});
