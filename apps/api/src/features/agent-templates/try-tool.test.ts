import { fails, startScriptedModel } from '@session/conversation/testing';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const KEY = 'hk-planted-4471';

const toolAt = (port: number, fields: object = {}) => ({
  name: 'find_rooms',
  description: 'Finds the free rooms of a day.',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  request: {
    method: 'GET',
    url: `http://127.0.0.1:${port}/rooms?day={day}&for={{guest}}`,
    headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
  },
  ...fields,
});

/** Opens an API for which loopback is open, with a template that has a tool of the server on `port`. */
async function openTrial(databaseUrl: string, port: number, fields: object = {}) {
  const api = await startTestApi(databaseUrl, { env: { AGENT_TOOL_NETWORKS: '127.0.0.0/8' } });
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const post = async (url: string, payload: object, user = ana) =>
    await api.inject(user, { method: 'POST', url, payload });
  const secret = { LLM_API_KEY: 'rehearsal', HOTEL_KEY: KEY };
  const hosts = { HOTEL_KEY: [`127.0.0.1:${port}`] };
  await post(`/projects/${projectId}/env-templates`, { name: 'keys', variables: secret, hosts });
  const template = {
    name: 'Desk',
    role: 'light-agent',
    variables: [{ name: 'guest', required: true }],
    tools: [toolAt(port, fields)],
  };
  const { id } = (await post(`/projects/${projectId}/agent-templates`, template)).json();
  const url = `/agent-templates/${id}/tools/find_rooms/try`;
  return {
    post,
    url,
    attempt: async (payload: object = {}) =>
      await post(url, { arguments: { day: '1' }, variables: { guest: 'Ada' }, ...payload }),
    [Symbol.asyncDispose]: async () => await api[Symbol.asyncDispose](),
  };
}

test('200 with what a model would read: the key goes to its host, and comes back masked', async ({
  database,
}) => {
  await using hotel = await startScriptedModel(fails(200, `{"rooms":2,"key":"${KEY}"}`));
  await using trial = await openTrial(database.url, hotel.port);
  const answer = await trial.attempt();
  expect(answer.json()).toEqual({
    state: 'done',
    status: 200,
    durationMs: expect.any(Number),
    result: '{"rooms":2,"key":"••••"}',
    truncated: false,
  });
  expect(hotel.requests).toHaveLength(1);
  expect(hotel.requests[0]).toMatchObject({ method: 'GET', path: '/rooms?day=1&for=Ada' });
  expect(hotel.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test('200 for a server that fails or is away: the answer says so', async ({ database }) => {
  await using hotel = await startScriptedModel(fails(503, 'closed'));
  await using trial = await openTrial(database.url, hotel.port);
  expect((await trial.attempt()).json()).toMatchObject({
    state: 'failed',
    status: 503,
    result: 'closed',
  });
  await hotel[Symbol.asyncDispose]();
  expect((await trial.attempt()).json()).toMatchObject({ state: 'failed', status: null });
});

test('400 before anything is sent: arguments, variables, secrets and addresses that would not do', async ({
  database,
}) => {
  await using hotel = await startScriptedModel(fails(200, '{}'));
  await using trial = await openTrial(database.url, hotel.port);
  const detailOf = async (payload: object) => (await trial.attempt(payload)).json().detail;
  expect(await detailOf({ arguments: {} })).toBe('day is missing.');
  expect(await detailOf({ variables: {} })).toMatch(/needs a value for guest/);
  const other = {
    method: 'GET',
    url: 'https://other.example/',
    headers: { a: '{{env.HOTEL_KEY}}' },
  };
  await using elsewhere = await openTrial(database.url, hotel.port, { request: other });
  expect((await elsewhere.attempt()).json().detail).toMatch(/not among the hosts/);
  const inner = { method: 'GET', url: 'https://169.254.169.254/' };
  await using closed = await openTrial(database.url, hotel.port, { request: inner });
  expect((await closed.attempt()).json().detail).toMatch(/not open to tools/);
  expect(hotel.requests).toEqual([]);
});

test('404 for another tool, 429 for the eleventh trial in a minute', async ({ database }) => {
  await using hotel = await startScriptedModel(fails(200, '{}'));
  await using trial = await openTrial(database.url, hotel.port);
  const other = await trial.post(trial.url.replace('find_rooms', 'none'), {});
  expect(other.statusCode).toBe(404);
  const codes: number[] = [];
  for (let number = 0; number < 10; number += 1) codes.push((await trial.attempt()).statusCode);
  expect(codes).toEqual([...Array.from({ length: 9 }, () => 200), 429]);
});
