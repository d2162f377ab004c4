import { AppError } from '@session/kit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startTestApi, type TestApi } from '../../../testing/api.ts';

function documented(operationId: string) {
  const problems = ['not_found'] as const;
  const schema = { operationId, problems, response: { 200: z.object({}) } };
  return { config: { public: true }, schema };
}

/** Starts an API with routes whose documentation lists 200 and the problem `not_found`. */
async function startApi(): Promise<TestApi> {
  const api = await startTestApi('postgres://nobody@127.0.0.1:1/none');
  api.app.get('/right', documented('right'), () => ({}));
  // `Object` hides the status from the types, which would refuse it.
  api.app.get('/status', documented('status'), (_, reply) => Object(reply).code(207).send({}));
  api.app.get('/path', documented('path'), (_, reply) => {
    void reply.header('location', '/');
    return {};
  });
  api.app.get('/code', documented('code'), () => {
    throw new AppError('user_not_found', 'no such user');
  });
  return api;
}

test.each([
  ['an answer with another status', '/status', 'GET /status: 207'],
  ['an answer with another header `Location`', '/path', 'GET /path: 200 with Location'],
  ['a problem with another code', '/code', 'GET /code: 404 user_not_found'],
])('a test fails at its end after %s than its route documents', async (_name, url, fault) => {
  const api = await startApi();
  await api.app.inject({ url });
  await expect(api[Symbol.asyncDispose]()).rejects.toThrow(`undocumented: ${fault}`);
});

test('a test passes after an answer that its route documents', async () => {
  const api = await startApi();
  expect((await api.app.inject({ url: '/right' })).statusCode).toBe(200);
  await api[Symbol.asyncDispose]();
});
