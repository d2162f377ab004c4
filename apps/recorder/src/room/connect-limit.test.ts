import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';

test('eight rooms are connected to at a time, and the others wait for their turn', async () => {
  await using stage = await TestStage.open();
  // A media server that accepts connections and never answers.
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (let count = 0; count < 20; count += 1) await stage.createSession();
  const media = { ...stage.media, url: `ws://127.0.0.1:${port}` };
  const recorder = await stage.record({ config: { media } });
  const states = await until(() => {
    const { sessions } = recorder.health();
    return (sessions['waiting'] ?? 0) + (sessions['connecting'] ?? 0) === 20 && sessions;
  });
  expect(states).toEqual({ connecting: 8, waiting: 12 });
  server.close();
  for (const socket of sockets) socket.destroy();
});
