import { once } from 'node:events';
import { request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { expect } from 'vitest';
import { apiTestWithoutDatabase } from '../../../testing/api-test.ts';
import { allowLonger } from './request-limit.ts';

const config = { public: true };
const never = new Promise<never>(() => {});
const timeLimits = { requestMs: 300, statementMs: 30_000, serverMs: 30_000 };
const test = apiTestWithoutDatabase.extend('options', () => ({ timeLimits }));

test('503 for a handler that is too slow, and not for a client that sends slowly', async ({
  api,
}) => {
  api.app.get('/waits', { config }, () => never);
  api.app.post('/echo', { config }, async ({ body }) => body);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const arrived = once(api.app.server, 'request');
  const headers = { 'content-type': 'application/json' };
  const client = request(`${address}/echo`, { method: 'POST', headers });
  client.write('{"name":');
  await arrived;
  // This request begins after the slow one: when its limit is over, so is the limit that the slow one would have.
  const late = await api.app.inject('/waits');
  expect(late.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(late.headers['retry-after']).toBe('1');
  client.end('"Ana"}');
  const [answer] = await once(client, 'response');
  expect([answer.statusCode, await json(answer)]).toEqual([200, { name: 'Ana' }]);
});

test('a route with a limit of its own may take longer', async ({ api }) => {
  const waiting = Promise.withResolvers<string>();
  api.app.get('/waits', { config }, () => never);
  api.app.get('/may-wait', { config, handlerTimeout: 30_000 }, () => waiting.promise);
  const patient = api.app.inject('/may-wait');
  expect((await api.app.inject('/waits')).statusCode).toBe(503);
  waiting.resolve('done');
  expect((await patient).body).toBe('done');
});

test('a request to which a handler gives more time may take longer, but not for ever', async ({
  api,
}) => {
  const waiting = Promise.withResolvers<string>();
  api.app.get('/waits', { config }, () => never);
  api.app.get('/takes-long', { config }, (asked, reply) => {
    const isEndless = asked.headers['x-ends'] === undefined;
    allowLonger(asked, reply, isEndless ? 2 * timeLimits.requestMs : 30_000);
    return isEndless ? never : waiting.promise;
  });
  const patient = api.app.inject({ url: '/takes-long', headers: { 'x-ends': '1' } });
  const endless = api.app.inject('/takes-long');
  expect((await api.app.inject('/waits')).statusCode).toBe(503);
  waiting.resolve('done');
  expect((await patient).body).toBe('done');
  expect((await endless).statusCode).toBe(503);
});

test('an answer that came in time counts, although the process stood still past the limit', async ({
  api,
}) => {
  api.app.get('/answers', { config }, async () => {
    const { port1, port2 } = new MessageChannel();
    // After this phase of the event loop come the timers, and only then what arrived.
    await nextRound();
    const answer = once(port1, 'message');
    port2.postMessage('in time');
    const until = performance.now() + 2 * timeLimits.requestMs;
    while (performance.now() < until);
    const [words] = await answer;
    port1.close();
    return { words };
  });
  expect((await api.app.inject('/answers')).json()).toEqual({ words: 'in time' });
});

type End = (reply: FastifyReply) => unknown;

const configuredTest = test
  .extend('logStream', () => new PassThrough())
  .extend('options', ({ logStream }) => ({ timeLimits, logStream }));

configuredTest.for<[string, End]>([
  ['returns', () => ({ name: 'late' })],
  ['returns nothing', () => undefined],
  ['throws', () => Promise.reject(new Error('late'))],
  ['sends a status, a header and a body', (reply) => reply.code(201).header('a', 'b').send({})],
  ['sends a stream', (reply) => reply.send(Readable.from(['late']))],
])(
  'a handler that %s after its 503 changes nothing, and logs nothing more',
  async ([, end], { api, logStream }) => {
    const logged = text(logStream);
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    api.app.get('/waits', { config }, async (_request, reply) => {
      await late.promise;
      setImmediate(() => ended.resolve());
      return await end(reply);
    });
    const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const answer = await fetch(`${address}/waits`);
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
    late.resolve();
    await ended.promise;
    expect((await fetch(`${address}/`)).status).toBe(200);
    await api.app.close();
    logStream.end();
    const lines = (await logged).trim().split('\n');
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
    expect(warnings).toMatchObject([{ msg: 'request failed', code: 'unavailable' }]);
  },
);

test('an answer that has begun in time may take as long as its reader needs', async ({ api }) => {
  const body = new PassThrough();
  api.app.get('/stream', { config }, async (_request, reply) => reply.send(body));
  api.app.get('/waits', { config }, () => never);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  body.write('one, ');
  const answer = await fetch(`${address}/stream`);
  // When the limit of this later request is over, so is the limit of the stream.
  expect((await fetch(`${address}/waits`)).status).toBe(503);
  body.end('two');
  expect([answer.status, await answer.text()]).toEqual([200, 'one, two']);
});

test('HEAD has the same limit as GET', async ({ api }) => {
  api.app.get('/waits', { config }, () => never);
  expect((await api.app.inject({ method: 'HEAD', url: '/waits' })).statusCode).toBe(503);
});
