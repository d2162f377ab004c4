import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';

/**
 * Answers `unavailable` for what a route has not done in time, unless it has a `handlerTimeout` of its own. Fastify's would
 * count from the first byte of the request: a client that needs seconds to send it has nothing to do with our database.
 */
export function limitHandlers(app: ZodApp, { patience: { requestMs } }: Pick<Deps, 'patience'>) {
  app.addHook('onRoute', (route) => {
    if (route.handlerTimeout !== undefined) return;
    const { handler } = route;
    route.handler = async function inTime(request, reply): Promise<unknown> {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        // Whoever takes the answer slowly has it all the same.
        if (!reply.sent) reject(new AppError('unavailable', `not done within ${requestMs} ms`));
      }, requestMs);
      try {
        return await Promise.race([handler.call(this, request, reply), late]);
      } finally {
        clearTimeout(timer);
      }
    };
  });
}
