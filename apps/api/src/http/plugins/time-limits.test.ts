import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

const AWAY = 'postgres://nobody@127.0.0.1:1/none';
const config = { public: true };
const never = new Promise<never>(() => {});

test('503 for what a route does too slowly, and not for what its client sends slowly', async () => {
  await using api = await openApi();
  api.app.get('/waits', { config }, () => never);
  api.app.post('/echo', { config }, async ({ body }) => body);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const arrived = once(api.app.server, 'request');
  const headers = { 'content-type': 'application/json' };
  const client = request(`${address}/echo`, { method: 'POST', headers });
  client.write('{"name":');
  await arrived;
  // It begins after the other one: when its time is over, so is that one's.
  const late = await api.app.inject('/waits');
  expect(late.json()).toMatchObject({ status: 503, code: 'unavailable' });
  expect(late.headers['retry-after']).toBe('1');
  client.end('"Ana"}');
  const [answer] = await once(client, 'response');
  expect([answer.statusCode, await json(answer)]).toEqual([200, { name: 'Ana' }]);
});

test('a route that has a time of its own may take it', async () => {
  await using api = await openApi();
  const waiting = Promise.withResolvers<string>();
  api.app.get('/waits', { config }, () => never);
  api.app.get('/may-wait', { config, handlerTimeout: 30_000 }, () => waiting.promise);
  const patient = api.app.inject('/may-wait');
  expect((await api.app.inject('/waits')).statusCode).toBe(503);
  waiting.resolve('done');
  expect((await patient).body).toBe('done');
});

async function openApi() {
  const patience = { requestMs: 300, statementMs: 30_000, serverMs: 30_000 };
  return await startTestApi(AWAY, { patience });
}
