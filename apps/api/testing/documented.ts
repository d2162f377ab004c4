import { Problem } from '@session/contract';
import type { RouteOptions } from 'fastify';
import type { ZodApp } from '../src/http/zod-app.ts';

/** What an answer says of itself that the document could leave out. */
type Documented = Pick<RouteOptions, 'schema'>;

/**
 * Looks at every answer of `app`, and gives those that its route's documentation does not list: by their status, and
 * problems by their code too.
 */
export function findUndocumented(app: ZodApp): readonly string[] {
  const found: string[] = [];
  app.addHook('onSend', async ({ method, routeOptions }, { statusCode }, payload) => {
    const { url, schema }: Documented & { url?: string | undefined } = routeOptions;
    const { operationId, problems = [], response } = schema ?? {};
    if (!(operationId && typeof response === 'object' && response)) return;
    const code = statusCode < 400 ? undefined : codeOf(payload);
    const isListed = statusCode in response && (!code || problems.some((known) => known === code));
    if (!isListed) found.push(`${method} ${url}: ${statusCode} ${code ?? ''}`);
  });
  return found;
}

function codeOf(payload: unknown): string | undefined {
  if (typeof payload !== 'string') return undefined;
  return Problem.safeParse(JSON.parse(payload)).data?.code;
}
