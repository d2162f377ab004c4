import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

const host = '127.0.0.1';

test('a port lies below those of outgoing connections, and a server can listen there for TCP and UDP', async () => {
  const port = await freePort(host);
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_000);
  await using server = createServer().listen(port, host);
  await once(server, 'listening');
  await using socket = createSocket('udp4');
  socket.bind(port, host);
  await once(socket, 'listening');
});

test('ports that are asked for at the same time differ, as long as chance allows', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort(host)));
  expect(new Set(ports).size).toBeGreaterThan(15);
});

test('a host that is not an address of this machine is an error', async () => {
  await expect(freePort('192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});
