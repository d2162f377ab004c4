import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

// Those of https://owasp.org/www-project-secure-headers/ that mean something for data.
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Sets what browsers are to know of every answer: that it is data and no page, and whose pages may read it. Makes limits
 * possible for the routes that follow. Before the authentication, as a browser asks without a token whether it may ask.
 */
export async function secure(app: ZodApp, { config }: Pick<Deps, 'config'>): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers(HEADERS);
  });
  const { corsOrigins } = config.http;
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...corsOrigins],
      methods: METHODS,
      exposedHeaders: ['location', 'retry-after', 'x-request-id'],
      maxAge: 600,
    });
  }
  await app.register(rateLimit, { global: false });
}

/** Gives the part of a route's `config` that limits it to so many requests a minute and address; 0: without a limit. */
export function limited(perMinute: number) {
  return perMinute === 0 ? {} : { rateLimit: { max: perMinute, timeWindow: 60_000 } };
}
