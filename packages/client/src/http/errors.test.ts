import { inspect } from 'node:util';
import { freePort } from '@session/testing';
import { expect, test } from 'vitest';
import { failureOf } from '../../testing/failure-of.ts';
import { cut, json, lost, problem, scriptedServer } from '../../testing/scripted-server.ts';
import { createClient } from '../index.ts';
import { isApiError, isConnectionError } from './api-error.ts';

test('a problem is an ApiError with all of its fields', async () => {
  const errors = [{ path: 'name', code: 'too_small', message: 'at least 1 character' }];
  const texts = {
    type: 'urn:problem:invalid_request',
    title: 'Invalid request',
    detail: 'See errors.',
  };
  const body = { ...texts, status: 400, code: 'invalid_request', requestId: 'r-1', errors };
  await using server = await scriptedServer(json(body, 400, { 'retry-after': '2' }));
  const error = await failureOf(server.client().projects.get('p'));
  expect(error).toMatchObject({
    name: 'ApiError',
    message: '400 invalid_request: Invalid request. See errors.',
    code: 'invalid_request',
    status: 400,
    title: 'Invalid request',
    detail: 'See errors.',
    requestId: 'r-1',
    errors,
    retryAfterMs: 2000,
  });
  expect([
    isApiError(error),
    isApiError(error, 'invalid_request'),
    isApiError(error, 'internal'),
  ]).toEqual([true, true, false]);
  expect(isConnectionError(error)).toBe(false);
});

test.each<[string, string]>([
  ['a page of a proxy', '<html>Bad gateway</html>'],
  ['JSON that is no problem', '{"error":"nope"}'],
  ['JSON that is no object', 'null'],
  ['a problem with fields of another type', '{"code":1,"title":2,"detail":3,"requestId":4}'],
  ['nothing', ''],
])('%s is an ApiError with the status as its code', async (_, text) => {
  await using server = await scriptedServer((response) => {
    response.writeHead(404, 'Nowhere', { 'x-request-id': 'r-2' }).end(text);
  });
  const error = await failureOf(server.client().projects.get('p'));
  expect(error).toMatchObject({
    code: 'http_404',
    title: 'Nowhere',
    detail: '',
    errors: [],
    requestId: 'r-2',
  });
});

test.each<[string, number | null]>([
  ['7', 7000],
  ['0', 0],
  ['-3', 0],
  ['', null],
  ['soon', null],
  ['Sat, 21 Nov 2020 08:00:00 GMT', 0],
])('Retry-After: %s', async (header, retryAfterMs) => {
  await using server = await scriptedServer(problem(404, 'not_found', { 'retry-after': header }));
  expect(await failureOf(server.client().projects.get('p'))).toMatchObject({ retryAfterMs });
});

test('Retry-After as a date is the time until then', async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  await using server = await scriptedServer(
    problem(503, 'unavailable', { 'retry-after': date }),
    lost,
  );
  const error = await failureOf(server.client().projects.get('p'));
  expect(isApiError(error, 'unavailable') && (error.retryAfterMs ?? 0) > 3_000_000).toBe(true);
  // An hour is too long to wait without asking the caller.
  expect(server.received).toHaveLength(1);
});

test('an unavailable service’s health is an answer', async () => {
  const body = {
    status: 'unavailable',
    version: '1',
    uptimeSeconds: 1,
    checks: { database: 'unavailable' },
  };
  await using server = await scriptedServer(json(body, 503, { 'retry-after': '1' }));
  expect(await server.client().service.health()).toEqual(body);
  expect(server.received).toHaveLength(1);
});

test('an error of another copy of this package is known by its name', () => {
  const other = Object.assign(new Error('x'), { name: 'ApiError', code: 'not_found' });
  expect([
    isApiError(other, 'not_found'),
    isApiError(new Error('x')),
    isApiError('ApiError'),
  ]).toEqual([true, false, false]);
});

const SECRET = 'secret-0123456789';
const variables = { LLM_API_KEY: SECRET };

test('no token and no value of a template is in an error, in its cause or in a URL', async () => {
  await using server = await scriptedServer(
    problem(401, 'unauthorized'),
    problem(409, 'name_taken'),
    cut({}),
    (response) => response.end('no JSON'),
    problem(500, 'internal'),
  );
  const url = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
  const away = createClient({ baseUrl: url, token: SECRET, maxRetries: 0 });
  const client = server.client({ token: SECRET, maxRetries: 0 });
  const odd = server.client({ token: `${SECRET}\nx` });
  const template = { name: 'Production', variables };
  const errors = [
    await failureOf(client.auth.me()),
    await failureOf(client.envTemplates.create('p', template)),
    await failureOf(client.envTemplates.create('p', template)),
    await failureOf(client.envTemplates.create('p', template)),
    await failureOf(client.envTemplates.change('t', { variables })),
    await failureOf(client.auth.logIn({ email: 'a@example.org', password: SECRET })),
    await failureOf(away.envTemplates.create('p', template)),
    await failureOf(odd.auth.me()),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(SECRET);
  }
  expect(server.received.map(({ url: asked }) => asked).join()).not.toContain(SECRET);
});

test('a token that no header can have is refused with what to do, and nothing is sent', async () => {
  await using server = await scriptedServer(json({}));
  const error = await failureOf(server.client({ token: `${SECRET}\n` }).auth.me());
  expect(String(error)).toContain('pass it in ASCII, without spaces and line ends');
  expect(server.received).toEqual([]);
});

test('without an answer of the API: the error names the request, the address and what to check', async () => {
  const url = `http://127.0.0.1:${await freePort('127.0.0.1')}`;
  const away = createClient({ baseUrl: `${url}/`, maxRetries: 0 });
  expect(await failureOf(away.auth.me())).toMatchObject({
    name: 'ConnectionError',
    message: `GET /auth/me: no answer from ${url}, or only a part of it. Is that the API, and is this page in its CORS_ORIGINS?`,
    cause: expect.any(TypeError),
  });
  await using pages = await scriptedServer((response) => response.end('<!doctype html>'));
  const html = await failureOf(pages.client({ maxRetries: 0 }).auth.me());
  expect(String(html)).toContain(`GET /auth/me: no JSON from ${pages.url}`);
  await using silent = await scriptedServer(() => {});
  const late = await failureOf(silent.client({ maxRetries: 0, timeoutMs: 30 }).auth.me());
  expect(String(late)).toContain(`GET /auth/me: no answer from ${silent.url} for 30 ms.`);
});

test.each(['', '.', '..'])('an id that is %j never becomes another path', async (id) => {
  await using server = await scriptedServer(json({}));
  expect(() => server.client().projects.delete(id)).toThrow('an id is needed');
  expect(server.received).toEqual([]);
});

test('an id stays one segment of the path, whatever is in it', async () => {
  await using server = await scriptedServer(json({}));
  await server.client().projects.get('a/../b?c#d%2e é');
  expect(server.received[0]?.url).toBe('/projects/a%2F..%2Fb%3Fc%23d%252e%20%C3%A9');
});
