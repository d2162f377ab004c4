import { AppError } from '@session/kit';
import type { HTTPMethods } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

/** Collects what the routes that follow answer to; what it gives refuses the other methods of their paths, with 405. */
export function refuseOtherMethods(app: ZodApp): () => void {
  const known = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    known.set(url, methods);
  });
  return () => {
    for (const [url, methods] of known) {
      const allow = [...methods].toSorted().join(', ');
      const others = app.supportedMethods.filter((name) => !methods.has(name));
      // After the authentication, which comes first everywhere: who has no token learns nothing of the paths.
      app.route({
        url,
        method: others,
        schema: { hide: true },
        onRequest: async (_request, reply) => {
          void reply.header('allow', allow);
          const detail = `This path has ${allow}.`;
          throw new AppError('method_not_allowed', 'no such method', { detail });
        },
        handler: async () => {},
      });
    }
  };
}
