import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { loadSettings } from '../settings/index.ts';
import { askModel } from './ask-model.ts';

/** Asks an endpoint on the loopback interface, and resolves when its connection has ended. */
async function ask(listener: RequestListener, timeoutMs: number) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  server.once('connection', (socket) => socket.on('error', () => {}).once('close', () => end()));
  const variables = { LLM_API_KEY: 'a-key', LLM_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const failure = await askModel(loadSettings(variables).model, {
    isClosed: () => false,
    mayProxyResolve: false,
    timeoutMs,
  });
  await ended;
  server.close();
  return failure;
}

const endless: RequestListener = (_, response) => {
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

test('an endpoint that does not answer in time is unreachable', async () => {
  const failure = await ask(() => {}, 50);
  expect(failure).toMatchObject({ kind: 'unreachable', message: 'no answer within 0.05 s' });
});

test('an answer without an end is not read', async () => {
  expect(await ask(endless, 60_000)).toBeUndefined();
});

test('the rehearsal model needs no request', async () => {
  const variables = { LLM_API_KEY: 'rehearsal', LLM_BASE_URL: 'http://127.0.0.1:1/v1' };
  expect(
    await askModel(loadSettings(variables).model, {
      isClosed: () => false,
      mayProxyResolve: false,
      timeoutMs: 1,
    }),
  ).toBeUndefined();
});
