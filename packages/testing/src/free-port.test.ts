import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
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

test('a port is not given again while no server listens at it yet', async () => {
  const ports: number[] = [];
  for (let index = 0; index < 100; index += 1) ports.push(await freePort(host));
  ports.push(...(await Promise.all(Array.from({ length: 100 }, () => freePort(host)))));
  expect(new Set(ports).size).toBe(200);
});

test('two workers of a run never get the same port', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const slices: { first: number; last: number }[] = [];
  for (let worker = 1; worker <= 8; worker += 1) {
    vi.stubEnv('VITEST_POOL_ID', String(worker));
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort(host)));
    slices.push({ first: Math.min(...ports), last: Math.max(...ports) });
  }
  const sorted = slices.toSorted((one, other) => one.first - other.first);
  for (const [index, { last }] of sorted.entries())
    expect(last).toBeLessThan(sorted[index + 1]?.first ?? 32_000);
});

test('a host that is not an address of this machine is an error', async () => {
  await expect(freePort('192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});
