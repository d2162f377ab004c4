import cors from '@fastify/cors';
import type { ZodApp } from '../zod-app.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

// The headers of https://owasp.org/www-project-secure-headers/ that matter for an API without pages.
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Sends headers that keep browsers from showing an answer as a page, and lets only pages of `origins` read answers.
 * Registered before the authentication, because a preflight carries no token.
 */
export async function setBrowserRules(app: ZodApp, origins: readonly string[]): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(HEADERS);
    done();
  });
  if (origins.length === 0) return;
  const listed = new Set(origins);
  const isListed = (from = '') => listed.has(from) || listed.has(from.replace(/(:\d+)?$/, ':*'));
  await app.register(cors, {
    origin: (from, done) => done(null, isListed(from)),
    methods: METHODS,
    exposedHeaders: [
      'etag',
      'idempotent-replayed',
      'location',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
      'x-request-id',
    ],
    maxAge: 600,
  });
}
