import type { Socket } from 'node:net';
import { pause } from '@session/kit';
import type { ZodApp } from '../zod-app.ts';

/** After the server closes: the time for a connection to begin a request, and the time for an answer to end. */
const GRACE_MS = 1000;
const ANSWER_MS = 10_000;

/**
 * Ends every connection soon after the server closes. Fastify itself ends only connections that are idle at that
 * moment. Cuts an answer that the client has not taken within `answerMs`.
 */
export function endConnectionsOnClose(app: ZodApp, { answerMs = ANSWER_MS } = {}): void {
  const { requestCounts, readBytes } = countRequests(app);
  const closed = new AbortController();
  let isClosing = false;
  const sweep = async () => {
    const deadline = performance.now() + answerMs;
    while (await pause(GRACE_MS, closed.signal)) {
      const isLate = performance.now() >= deadline;
      for (const [socket, count] of requestCounts) if (count === 0 || isLate) socket.destroy();
    }
  };
  // Node's own function treats a connection as idle once its answer is queued, and cuts what the client has yet to
  // read.
  app.server.closeIdleConnections = () => {
    for (const [socket, count] of requestCounts) {
      // More bytes than at the end of the last answer mean that another request begins.
      if (count === 0 && socket.bytesRead === readBytes.get(socket)) socket.destroy();
    }
  };
  app.server.once('close', () => closed.abort());
  app.addHook('preClose', async () => {
    isClosing = true;
    if (app.server.listening) void sweep();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) void reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // For answers whose headers were sent before the server closed.
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/**
 * Returns how many unanswered requests each connection has, 0 while it is silent or still sends the headers of a
 * request. Also returns how many bytes the client had sent at the end of its last answer.
 */
function countRequests({ server }: ZodApp) {
  const requestCounts = new Map<Socket, number>();
  const readBytes = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: number) => {
    const count = requestCounts.get(socket);
    if (count !== undefined) requestCounts.set(socket, count + change);
  };
  server.on('connection', (socket: Socket) => {
    requestCounts.set(socket, 0);
    socket.once('close', () => requestCounts.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    add(socket, 1);
    response.once('close', () => {
      add(socket, -1);
      readBytes.set(socket, socket.bytesRead);
    });
  });
  return { requestCounts, readBytes };
}
