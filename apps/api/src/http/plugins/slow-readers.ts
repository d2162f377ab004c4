import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pause } from '@session/kit';
import type { Metrics } from '../metrics/metrics.ts';
import { PART_BYTES, partsOf } from '../parts.ts';
import type { ZodApp } from '../zod-app.ts';
import { HeldAnswers } from './held-answers.ts';
import { readKernelQueues } from './kernel-queues.ts';

interface SlowReaderLimits {
  readonly withinMs: number;
  readonly bytes: number;
  readonly everyMs: number;
  readonly heldBytes: number;
}

/**
 * A reader must take 8 KiB a second, measured over 30 s. `heldBytes` is a quarter of the memory limit of 1 GiB in
 * infra/kubernetes/base/service/api.yaml.
 */
const LIMITS: SlowReaderLimits = {
  withinMs: 30_000,
  bytes: 30 * 8 * 1024,
  everyMs: 5000,
  heldBytes: 256 * 1024 * 1024,
};

interface Progress {
  readonly since: number;
  readonly taken: number;
}

/**
 * Cuts off readers that are slower than `limits`, measured while bytes wait for them. Also cuts off the slowest reader
 * while all together hold more than `limits.heldBytes`, because what they have not taken stays in memory.
 */
export function cutSlowReaders(app: ZodApp, metrics: Metrics, limits = LIMITS): void {
  const cuts = metrics.counter(
    'session_readers_cut_total',
    'Readers that were cut off: `slow`, or the slowest when all answers together needed too much `memory`.',
    ['reason'],
  );
  for (const reason of ['memory', 'slow']) cuts.inc({ reason }, 0);
  const cut = (socket: Socket, reason: 'memory' | 'slow') => {
    app.log.warn({ client: socket.remoteAddress, reason }, 'cut off slow reader');
    cuts.inc({ reason });
    socket.destroy();
  };
  const held = new HeldAnswers(limits.heldBytes, (socket) => cut(socket, 'memory'));
  metrics.gauge('session_held_answer_bytes', 'Memory of answers not taken yet.', () => held.bytes);
  writeInParts(app, held);
  const connections = new Map<Socket, Progress | undefined>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => {
      connections.delete(socket);
      held.release(socket);
    });
  });
  const closed = new AbortController();
  const watch = async () => {
    while (await pause(limits.everyMs, closed.signal)) {
      for (const socket of await findSlowReaders(connections, limits)) {
        cut(socket, 'slow');
      }
    }
  };
  app.server.once('listening', () => void watch());
  app.server.once('close', () => closed.abort());
}

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

/** Sends every long text or buffer as a stream of parts, and counts what these and other streams hold in memory. */
function writeInParts(app: ZodApp, held: HeldAnswers): void {
  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    if (payload instanceof Readable) {
      const stream = streamOf(held.hold<unknown>(socket, payload));
      stream.once('close', () => payload.destroy());
      done(null, stream);
      return;
    }
    const isLong =
      (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > PART_BYTES;
    if (!isLong) {
      done();
      return;
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    void reply.header('content-length', bytes.length);
    done(null, streamOf(held.hold(socket, partsOf(bytes))));
  });
}

function streamOf(parts: AsyncIterable<unknown>): Readable {
  return Readable.from(parts, { highWaterMark: 1 });
}
