import { AppError } from '@session/kit';
import type { HTTPMethods } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

/**
 * Makes the paths of routes answer other methods with 405. Applies to the routes that are registered between this call
 * and that of the returned function.
 */
export function refuseOtherMethods(app: ZodApp): () => void {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsOf.set(url, methods);
  });
  return () => {
    for (const [url, methods] of methodsOf) {
      const allow = [...methods].toSorted().join(', ');
      const others = app.supportedMethods.filter((name) => !methods.has(name));
      // The authentication comes first, so that a client without a token learns nothing about the paths.
      app.route({
        url,
        method: others,
        schema: { hide: true },
        onRequest: async (_request, reply) => {
          void reply.header('allow', allow);
          const detail = `This path allows ${allow}.`;
          throw new AppError('method_not_allowed', 'no such method', { detail });
        },
        handler: async () => {},
      });
    }
  };
}
