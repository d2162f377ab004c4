import { Problem } from '@session/contract';
import type { RouteOptions } from 'fastify';
import '../src/http/openapi/describe-routes.ts';
import type { ZodApp } from '../src/http/zod-app.ts';

/** The part of a route's options that documents its answers. */
type Documented = Pick<RouteOptions, 'schema'>;

/**
 * Checks every answer of `app`. Returns a list, which grows, of the answers that the documentation of their route does not list:
 * those with another status or a `Location`, and problems with another code.
 */
export function findUndocumented(app: ZodApp): string[] {
  const found: string[] = [];
  app.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    const { statusCode } = reply;
    const { url, schema }: Documented & { url?: string | undefined } = routeOptions;
    const { operationId, problems = [], located = [], response } = schema ?? {};
    if (!(operationId && typeof response === 'object' && response)) return;
    const code = statusCode < 400 ? undefined : codeOf(payload);
    const isListed = statusCode in response && (!code || problems.some((known) => known === code));
    if (!isListed) found.push(`${method} ${url}: ${statusCode} ${code ?? ''}`);
    const isLocated = statusCode === 201 || located.includes(statusCode);
    if (reply.hasHeader('location') && !isLocated) {
      found.push(`${method} ${url}: ${statusCode} with Location`);
    }
  });
  return found;
}

function codeOf(payload: unknown): string | undefined {
  if (typeof payload !== 'string') return undefined;
  return Problem.safeParse(JSON.parse(payload)).data?.code;
}
