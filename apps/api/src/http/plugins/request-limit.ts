import { AppError } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs while the route's handler works and has not answered. */
    limitTimer: NodeJS.Timeout | undefined;
  }
}

/**
 * Answers `unavailable` when a route has not answered `requestMs` after its handler began. A route with a `handlerTimeout` of
 * its own has that limit instead. Fastify's `handlerTimeout` does not serve for all routes, because it counts from the first
 * byte of the request: a client that needs seconds to send its body has nothing to do with a slow database.
 */
export function limitRequests(app: ZodApp, requestMs: number): void {
  const start = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    request.limitTimer = setTimeout(() => answerLate(reply, requestMs), requestMs);
    done();
  };
  app.decorateRequest('limitTimer', undefined);
  app.addHook('onRoute', (route) => {
    const present = [route.preHandler ?? []].flat();
    // Fastify derives the route for HEAD from that for GET, with its hooks.
    if (route.handlerTimeout !== undefined || present.includes(start)) return;
    route.preHandler = [start, ...present];
  });
  // From here on the client decides how long it takes: a slow reader still gets the whole answer.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    clearTimeout(request.limitTimer);
    done();
  });
}

/**
 * The whole answer leaves within this turn of the event loop, so the handler cannot answer in between. The handler goes on:
 * nobody can call back a statement that the database has taken. What it returns or throws later is ignored, and Fastify
 * would log it as an answer that was sent twice.
 */
function answerLate(reply: FastifyReply, requestMs: number): void {
  if (reply.sent) return;
  void reply.send(new AppError('unavailable', `not done within ${requestMs} ms`));
  reply.log = reply.log.child({}, { level: 'silent' });
}
