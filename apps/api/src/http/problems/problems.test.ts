import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { InjectOptions } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import {
  apiTestWithoutDatabase,
  ownApiTestWithoutDatabase as test,
} from '../../../testing/api-test.ts';

const json = { 'content-type': 'application/json' };
const post = { method: 'POST', url: '/projects', headers: json } as const;

const refusals: [number, string, InjectOptions][] = [
  [401, 'unauthorized', { url: '/projects', headers: { authorization: 'Bearer' } }],
  [400, 'invalid_request', { ...post, payload: '{"name":' }],
  [400, 'invalid_request', { ...post, payload: '' }],
  [400, 'invalid_request', { method: 'POST', url: '/projects' }],
  [400, 'invalid_request', { ...post, payload: '{"name":"a","__proto__":{}}' }],
  [400, 'invalid_request', { ...post, payload: JSON.stringify({ name: 'a\0b' }) }],
  [400, 'invalid_request', { url: '/health?a=%00' }],
  [400, 'invalid_request', { url: '/projects/%zz' }],
  [400, 'invalid_request', { url: '/projects/1' }],
  [404, 'not_found', { url: '/nowhere' }],
  [405, 'method_not_allowed', { method: 'DELETE', url: '/projects' }],
  [413, 'body_too_large', { ...post, payload: JSON.stringify({ name: 'a'.repeat(1_048_576) }) }],
  [414, 'uri_too_long', { url: `/projects/${'a'.repeat(200)}` }],
  [
    415,
    'unsupported_media_type',
    { ...post, headers: { 'content-type': 'text/xml' }, payload: '<a/>' },
  ],
  [503, 'unavailable', { ...post, payload: '{"name":"a"}' }],
];

apiTestWithoutDatabase.for(refusals)(
  '%i %s as a problem, with the request id of the caller',
  async ([status, code, request], { api }) => {
    const authorization = `Bearer ${api.app.jwt.sign({ sub: uuidv7() })}`;
    const headers = { authorization, ...request.headers, 'x-request-id': 'mine.1' };
    const response = await api.app.inject({ ...request, headers });
    expect(response.json()).toMatchObject({ status, code, requestId: 'mine.1' });
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/problem\+json/),
      'x-request-id': 'mine.1',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 405 && { allow: 'GET, HEAD, POST' }),
      ...(status === 503 && { 'retry-after': '1' }),
    });
  },
);

test('401 without a token, and no header that lists the methods of the path', async ({ api }) => {
  for (const url of ['/projects', '/auth/login']) {
    const { statusCode, headers } = await api.app.inject({ method: 'PUT', url });
    expect([statusCode, headers.allow]).toEqual([401, undefined]);
  }
});

test('404 with the detail of the handler', async ({ api }) => {
  api.app.get('/lost', { config: { public: true } }, () => {
    throw api.app.httpErrors.notFound('There is no such page.');
  });
  const response = await api.app.inject({ url: '/lost' });
  expect(response.json()).toMatchObject({ code: 'not_found', detail: 'There is no such page.' });
});

test.for<[string, string]>([
  ['Half of it is missing', 'Half of it is missing.'],
  ['Half of it is missing.', 'Half of it is missing.'],
  ['Was it cut in two?', 'Was it cut in two?'],
])('the detail of a refusal ends as a sentence: %s', async ([message, detail], { api }) => {
  api.app.get('/lost', { config: { public: true } }, () => {
    throw api.app.httpErrors.badRequest(message);
  });
  const response = await api.app.inject({ url: '/lost' });
  expect(response.json()).toMatchObject({ code: 'invalid_request', detail });
});

test('500 without any detail of the fault', async ({ api }) => {
  api.app.get('/fault', { config: { public: true } }, () => {
    throw new Error('hunter2');
  });
  const response = await api.app.inject({ url: '/fault' });
  expect([response.statusCode, response.json().code]).toEqual([500, 'internal']);
  expect(response.body).not.toContain('hunter2');
});

test('a request id that is unsafe in a log line is replaced', async ({ api }) => {
  const response = await api.app.inject({ url: '/', headers: { 'x-request-id': 'a b' } });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('400 as a problem for bytes that are no HTTP', async ({ api }) => {
  const { port } = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('nonsense\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/problem\+json/s);
  expect(answer).toContain('"code":"invalid_request"');
});
