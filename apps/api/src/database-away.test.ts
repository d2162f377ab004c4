import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from './test-api.ts';

test('503 for what the database left unanswered and while it is away, 200 when it is back', async () => {
  await using database = await createTestDatabase();
  await using way = await openWay(database.url);
  await using api = await startTestApi(way.url);
  const ana = await api.createUser();
  const ask = async (url = '/projects') => await api.inject(ana, { url });
  expect(await ask()).toMatchObject({ statusCode: 200 });

  way.freeze();
  const unanswered = Array.from({ length: 5 }, () => ask());
  await way.cut();
  const refused = Array.from({ length: 20 }, () => ask());
  for (const answer of await Promise.all([...unanswered, ...refused])) {
    expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(await ask('/health')).toMatchObject({ statusCode: 503 });

  await way.mend();
  await expect.poll(() => ask(), { timeout: 5000 }).toMatchObject({ statusCode: 200 });
  expect(await ask('/health')).toMatchObject({ statusCode: 200 });
});

/** A way to the database at `databaseUrl`: what passes it can be frozen and cut, and it mends on the same port. */
async function openWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = async (port: number) => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          near.destroy();
          far.destroy();
          sockets.delete(socket);
        });
      }
      near.pipe(far).pipe(near);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };
  const port = await listen(0);
  const url = new URL(target);
  url.port = String(port);
  const cut = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  return {
    url: url.href,
    cut,
    mend: () => listen(port),
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.asyncDispose]: cut,
  };
}
