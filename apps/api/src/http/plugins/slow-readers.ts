import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pause } from '@session/kit';
import { PART_BYTES, partsOf } from '../parts.ts';
import type { ZodApp } from '../zod-app.ts';
import { readKernelQueues } from './kernel-queues.ts';

interface SlowReaderLimits {
  /** How long a connection may take to read `bytes` of what is waiting for it, in milliseconds. */
  readonly withinMs: number;
  readonly bytes: number;
  /** How often connections are looked at, in milliseconds. */
  readonly everyMs: number;
}

/** 8 KiB a second, over 30 s. */
const LIMITS: SlowReaderLimits = { withinMs: 30_000, bytes: 30 * 8 * 1024, everyMs: 5000 };

/** How far a reader was when it began to be behind. */
interface Progress {
  readonly since: number;
  readonly taken: number;
}

/**
 * Cuts off readers that take an answer more slowly than `limits` allow: what they have not taken stays in memory. A
 * connection is measured while bytes wait for it, so a request that waits for news, or a log with little to follow, is not slow.
 */
export function cutSlowReaders(app: ZodApp, limits = LIMITS): void {
  writeInParts(app);
  const connections = new Map<Socket, Progress | undefined>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const closed = new AbortController();
  const watch = async () => {
    while (await pause(limits.everyMs, closed.signal)) {
      for (const socket of await findSlowReaders(connections, limits)) {
        app.log.warn({ client: socket.remoteAddress }, 'a slow reader is cut off');
        socket.destroy();
      }
    }
  };
  app.server.once('listening', () => void watch());
  app.server.once('close', () => closed.abort());
}

/** Returns the connections that are too slow, and stores the progress of all others. */
async function findSlowReaders(
  connections: Map<Socket, Progress | undefined>,
  { withinMs, bytes }: SlowReaderLimits,
): Promise<Socket[]> {
  for (const socket of connections.keys()) {
    if (socket.writableLength === 0) connections.set(socket, undefined);
  }
  const behind = [...connections].filter(([socket]) => socket.writableLength > 0);
  if (behind.length === 0) return [];
  const queueOf = await readKernelQueues();
  const now = performance.now();
  return behind.flatMap(([socket, before]) => {
    const taken = socket.bytesWritten - socket.writableLength - queueOf(socket);
    if (before && taken - before.taken < bytes) return now - before.since < withinMs ? [] : socket;
    if (connections.has(socket)) connections.set(socket, { since: now, taken });
    return [];
  });
}

/** Sends every long text or buffer as a stream of its parts. */
function writeInParts(app: ZodApp): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const isLong =
      (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > PART_BYTES;
    if (!isLong) return payload;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    void reply.header('content-length', bytes.length);
    return Readable.from(partsOf(bytes), { highWaterMark: 1 });
  });
}
