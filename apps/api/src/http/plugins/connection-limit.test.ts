import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';

test('a connection beyond the limit is closed at once, others are served, and one that ends makes room', async () => {
  const logStream = new PassThrough({ encoding: 'utf8' });
  const env = { API_MAX_CONNECTIONS: '3' };
  await using api = await startTestApi(UNREACHABLE, { logStream, env });
  const url = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
  const open = async () => {
    const socket = connect(Number(url.port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  // Slow clients: their requests never end.
  const [slow, silent] = [await open(), await open()];
  slow.write('GET / HTTP/1.1\r\nhost: a\r\n');
  const served = await open();
  expect(await answerOf(served)).toMatch(/^HTTP\/1\.1 200 /);
  for (const refused of [await open(), await open()]) expect(await answerOf(refused)).toBe('');
  const warnings = String(logStream.read())
    .split('\n')
    .filter((line) => line.includes('"max":3'));
  expect(warnings.map((line) => JSON.parse(line).msg)).toEqual([
    'closed new connections: API_MAX_CONNECTIONS reached',
  ]);
  const ended = once(silent, 'close');
  silent.destroy();
  await ended;
  await expect.poll(async () => await answerOf(await open())).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of [slow, served]) socket.destroy();
});

/** Asks for `/`, and returns what comes first: the head of an answer, or nothing when the connection is closed. */
async function answerOf(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('error', () => resolve(''));
  socket.on('close', () => resolve(''));
  socket.on('data', (bytes) => resolve(bytes.toString()));
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  return await promise;
}
