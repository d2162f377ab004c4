import type { Socket } from 'node:net';
import { pause } from '@session/kit';
import type { ZodApp } from '../zod-app.ts';

/** What a connection gets, when the server closes, to begin the request that it may be for. */
const GRACE_MS = 1000;
/** What an answer that is under way gets to end: an export to a slow reader could take an hour. */
const ANSWER_MS = 10_000;

/**
 * Lets the last answers end their connections when the server closes. Fastify ends those that are idle at that moment;
 * one that is answered later would stay open, and so would one that has never asked, or not in full, and the process with
 * them: for as long as they are kept alive, or a minute. Who has not taken an answer within `answerMs`, 10 s by default,
 * sees it break off.
 */
export function endConnectionsOnClose(app: ZodApp, { answerMs = ANSWER_MS } = {}): void {
  const underWay = countRequests(app);
  const closed = new AbortController();
  let isClosing = false;
  const sweep = async () => {
    const lastAt = performance.now() + answerMs;
    while (await pause(GRACE_MS, closed.signal)) {
      const isLate = performance.now() >= lastAt;
      for (const [socket, count] of underWay) if (count === 0 || isLate) socket.destroy();
    }
  };
  app.server.once('close', () => closed.abort());
  app.addHook('preClose', async () => {
    isClosing = true;
    if (app.server.listening) void sweep();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close');
  });
  app.addHook('onResponse', async () => {
    // Of those whose headers were already under way.
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
  });
}

/** Gives how many requests are under way on each connection: none yet, of one that is silent or in its first headers. */
function countRequests({ server }: Pick<ZodApp, 'server'>): ReadonlyMap<Socket, number> {
  const counts = new Map<Socket, number>();
  const add = (socket: Socket, change: number) => {
    const count = counts.get(socket);
    if (count !== undefined) counts.set(socket, count + change);
  };
  server.on('connection', (socket: Socket) => {
    counts.set(socket, 0);
    socket.once('close', () => counts.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    add(socket, 1);
    response.once('close', () => add(socket, -1));
  });
  return counts;
}
