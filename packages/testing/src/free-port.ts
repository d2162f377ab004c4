import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Gives a port of `host` that is free now. */
export async function freePort(protocol: 'tcp' | 'udp', host: string): Promise<number> {
  if (protocol === 'udp') {
    await using socket = createSocket('udp4');
    socket.bind({ port: 0, address: host });
    await once(socket, 'listening');
    return socket.address().port;
  }
  await using server = createServer();
  server.listen({ port: 0, host });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}
