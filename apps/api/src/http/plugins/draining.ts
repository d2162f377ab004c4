import type { Socket } from 'node:net';
import { pause } from '@session/kit';
import type { ZodApp } from '../zod-app.ts';

/** After the server closes: the time for a connection to begin a request, and for an answer to end. */
const GRACE_MS = 1000;
const ANSWER_MS = 10_000;

/**
 * Ends every connection soon after the server closes. Fastify ends only those that are idle then. An answer that the
 * client has not taken within `answerMs` is cut.
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
  // Node's own takes a connection for idle once its answer is queued, and cuts what its client has yet to read.
  app.server.closeIdleConnections = () => {
    for (const [socket, count] of requestCounts) {
      // More bytes than at the end of the last answer: another request begins.
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
    // For answers whose headers had left before the server closed.
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/**
 * Returns the number of unanswered requests of each connection, 0 while it is silent or still sends the headers of a request;
 * and how many bytes the client had sent at the end of its last answer.
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
