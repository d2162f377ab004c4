import { Problem } from '@session/contract';
import { ERROR_CODES, type ErrorCode } from '@session/kit';
import type { RouteOptions } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

declare module 'fastify' {
  interface FastifySchema {
    problems?: readonly ErrorCode[];
    /** Statuses apart from 201 whose answers have `Location`. */
    located?: readonly number[];
  }
}

export interface DocumentOptions {
  readonly version: string;
  readonly isServed: boolean;
}

/** Completes the schemas of the routes that are registered later. If `isServed`, also serves their OpenAPI document. */
export async function describeRoutes(
  app: ZodApp,
  { version, isServed }: DocumentOptions,
): Promise<void> {
  app.addHook('onRoute', listProblems);
  if (!isServed) return;
  // Loaded here, because an API without the document needs none of these libraries.
  const { serveDocument } = await import('./serve-document.ts');
  await serveDocument(app, version);
}

function listProblems(route: RouteOptions): void {
  const { schema } = route;
  if (!schema || schema.hide) return;
  const problems = [...new Set([...inherentProblems(route), ...(schema.problems ?? [])])];
  const response: Record<number, unknown> = {};
  for (const [status, codes] of Map.groupBy(problems, (code) => ERROR_CODES[code].status)) {
    const description = codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('; ');
    const content = { 'application/problem+json': { schema: Problem } };
    response[status] = { description, content };
  }
  const own = typeof schema.response === 'object' ? schema.response : {};
  route.schema = { ...schema, problems, response: { ...response, ...own } };
}

function inherentProblems({ config, method, url }: RouteOptions): ErrorCode[] {
  const takesBody = method !== 'GET' && method !== 'HEAD';
  return [
    'invalid_request',
    ...(config?.public ? [] : (['unauthorized', 'not_found', 'too_many_requests'] as const)),
    ...(config?.people ? (['people_only'] as const) : []),
    ...(takesBody ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    ...(url.includes(':') ? (['uri_too_long'] as const) : []),
    'internal',
    'unavailable',
  ];
}
