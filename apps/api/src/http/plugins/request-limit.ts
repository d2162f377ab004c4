import { AppError } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    limitTimer: NodeJS.Timeout | undefined;
  }
}

/**
 * Answers `unavailable` when a route without `handlerTimeout` has not answered `requestMs` after its handler began.
 * Fastify's own limit counts from the first byte, so it would include a slow upload.
 */
export function limitRequests(app: ZodApp, requestMs: number): void {
  const start = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    request.limitTimer = setTimeout(() => {
      // As in `withDeadline`, an answer that came while this process stood still counts.
      setImmediate(() => {
        if (request.limitTimer) answerLate(reply, requestMs);
      });
    }, requestMs);
    done();
  };
  app.decorateRequest('limitTimer', undefined);
  app.addHook('onRoute', (route) => {
    const present = [route.preHandler ?? []].flat();
    // Fastify derives the route for HEAD from that for GET, with its hooks.
    if (route.handlerTimeout !== undefined || present.includes(start)) return;
    route.preHandler = [start, ...present];
  });
  // From here on the client determines the duration, and a slow reader still gets the whole answer.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    clearTimeout(request.limitTimer);
    request.limitTimer = undefined;
    done();
  });
}

/** Moves the limit of this request to `ms` from now, for a route where only some bodies take long. */
export function allowLonger(request: FastifyRequest, reply: FastifyReply, ms: number): void {
  clearTimeout(request.limitTimer);
  request.limitTimer = setTimeout(() => answerLate(reply, ms), ms);
}

/**
 * Sends the problem within this turn of the event loop, and silences the reply's log. The handler still runs, because a
 * statement cannot be cancelled.
 */
function answerLate(reply: FastifyReply, requestMs: number): void {
  if (reply.sent) return;
  void reply.send(new AppError('unavailable', `not done within ${requestMs} ms`));
  reply.log = reply.log.child({}, { level: 'silent' });
}
