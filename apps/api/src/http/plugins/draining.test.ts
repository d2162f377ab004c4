import { once } from 'node:events';
import { Agent, get, request } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { fastify } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, onTestFinished } from 'vitest';
import { ownApiTestWithoutDatabase as test } from '../../../testing/api-test.ts';
import { endConnectionsOnClose } from './draining.ts';

test.for<[string, boolean]>([
  ['begins after the close', false],
  ['has begun before the close', true],
])(
  'an answer that %s is whole, and does not keep its connection',
  async ([, hasBegun], { api }) => {
    const body = new PassThrough();
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    api.app.get('/stream', { config: { public: true } }, async () => {
      arrived.resolve();
      await answered.promise;
      return body;
    });
    const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const client = request(`${address}/stream`, { agent }).end();
    const response = once(client, 'response');
    await arrived.promise;
    if (hasBegun) {
      answered.resolve();
      body.write('one, ');
      await response;
    }
    const closed = api.app.close();
    await expect.poll(() => api.app.server.listening).toBe(false);
    answered.resolve();
    body.end('two');
    const [answer] = await response;
    expect(answer.headers.connection).toBe(hasBegun ? 'keep-alive' : 'close');
    expect(await text(answer)).toBe(hasBegun ? 'one, two' : 'two');
    await closed;
  },
);

test.for<[string, string]>([
  ['has said nothing', ''],
  ['is in the middle of its headers', 'GET / HTTP/1.1\r\nhost:'],
  ['was refused', 'nonsense\r\n\r\n'],
])('a connection that %s does not delay the end of the server', async ([, said], { api }) => {
  const { port } = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
  const arrived = once(api.app.server, 'connection');
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const [connection] = await arrived;
  socket.write(said);
  await expect.poll(() => connection.bytesRead).toBe(said.length);
  await api.app.close();
});

test('an answer that its client still reads when the server closes is sent to its end', async () => {
  const app = fastify().withTypeProvider<ZodTypeProvider>();
  endConnectionsOnClose(app);
  // More than the kernel takes for a client that does not read.
  const sizeBytes = 33_554_432;
  app.get('/large', async () => Buffer.alloc(sizeBytes));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const [answer] = await once(get(`${address}/large`), 'response');
  const closed = app.close();
  await expect.poll(() => app.server.listening).toBe(false);
  expect(await buffer(answer)).toHaveLength(sizeBytes);
  await closed;
});

test('a second request of a connection whose headers are half sent when the server closes is answered', async ({
  api,
}) => {
  api.app.get('/word', { config: { public: true } }, async () => 'word');
  const { port } = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
  const arrived = once(api.app.server, 'connection');
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  const [connection] = await arrived;
  const received = text(socket);
  const head = 'GET /word HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const answered = once(api.app.server, 'request').then(([, response]) => once(response, 'close'));
  socket.write(head);
  await answered;
  socket.write(head.slice(0, 10));
  await expect.poll(() => connection.bytesRead).toBe(head.length + 10);
  const closed = api.app.close();
  await expect.poll(() => api.app.server.listening).toBe(false);
  socket.write(head.slice(10));
  expect((await received).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  await closed;
});

test('an answer that its client does not read does not delay the end of the server, and is cut visibly', async () => {
  const app = fastify().withTypeProvider<ZodTypeProvider>();
  endConnectionsOnClose(app, { answerMs: 1 });
  const body = new PassThrough();
  app.get('/stream', async () => body);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  body.write('one, ');
  const [answer] = await once(get(`${address}/stream`), 'response');
  await app.close();
  await expect(text(answer)).rejects.toThrow('aborted');
});
