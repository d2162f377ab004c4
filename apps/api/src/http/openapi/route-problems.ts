import { Problem } from '@session/contract';
import { ERROR_CODES, type ErrorCode } from '@session/kit';
import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifySchema {
    problems?: readonly ErrorCode[];
  }
}

/** Adds to a route's responses the problems that it can return: its own, and those that follow from its method and path. */
export function listProblems(route: RouteOptions): void {
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
    ...(config?.public ? [] : (['unauthorized'] as const)),
    ...(takesBody ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    ...(url.includes(':') ? (['uri_too_long'] as const) : []),
    'internal',
    'unavailable',
  ];
}
