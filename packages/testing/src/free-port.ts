import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections. Such a connection could take the port of a server that a test has
// killed, or even connect to itself there.
const RANGE = [20_000, 32_000] as const;

/** Many more than a run has workers, so that workers of simultaneous runs rarely have the same slice of the range. */
const SLICES = 48;
/** At least as many as a run has workers: runs whose parents have neighbouring pids then have no slice in common. */
const SLICES_OF_RUN = 7;

/** How many ports this process has looked at. */
let looked = randomInt(RANGE[1] - RANGE[0]);

/**
 * Returns a port of `host` that is free now, for TCP and for UDP. Throws when `host` is not an address of this machine. A
 * process gets each port of its range once before it gets one again: a server may start long after its port was chosen.
 */
export async function freePort(host: string): Promise<number> {
  const [first, end] = ownRange();
  for (;;) {
    looked += 1;
    const port = first + (looked % (end - first));
    if (await isFree(port, host)) return port;
  }
}

/**
 * Returns the first port of the worker's own slice, and the port after its last. Another worker would otherwise take a port
 * between the probe and the start of the server that gets it. Outside of tests it is the whole range.
 */
function ownRange(): readonly [first: number, end: number] {
  const worker = process.env['VITEST_POOL_ID'];
  if (worker === undefined) return RANGE;
  const size = (RANGE[1] - RANGE[0]) / SLICES;
  // All workers of a run have the same parent. Its pid keeps the first workers of two runs from always having the same slice.
  const slice = (Number(worker) + SLICES_OF_RUN * process.ppid) % SLICES;
  return [RANGE[0] + slice * size, RANGE[0] + (slice + 1) * size];
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
