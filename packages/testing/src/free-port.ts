import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections. Such a connection could take the port of a server that a test has
// killed, or even connect to itself there.
const RANGE = [20_000, 32_000] as const;

/** Returns a port of `host` that is free now, for TCP and for UDP. Throws when `host` is not an address of this machine. */
export async function freePort(host: string): Promise<number> {
  for (;;) {
    const port = randomInt(...RANGE);
    if (await isFree(port, host)) return port;
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  try {
    await probe(port, host);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw error;
  }
}

async function probe(port: number, host: string): Promise<void> {
  await using server = createServer();
  server.listen({ port, host });
  await once(server, 'listening');
  await using socket = createSocket('udp4');
  socket.bind({ port, address: host });
  await once(socket, 'listening');
}
