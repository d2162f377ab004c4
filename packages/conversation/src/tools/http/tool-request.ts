import { argumentsIn, fillArguments } from '@session/contract';
import type { Fields } from '@session/contract/room';
import type { ExchangeRequest } from '../../model/http-exchange.ts';
import type { HttpTool } from '../tool-settings.ts';

export interface ToolRequest {
  readonly url: URL;
  readonly request: ExchangeRequest;
}

const QUERY_METHODS = new Set(['GET', 'DELETE']);

/**
 * Returns the HTTP request of a call. Arguments that the URL does not name go into the query or a JSON body. Returns
 * undefined if an argument would change the path, as `..` does.
 */
export function toolRequest({ request }: HttpTool, args: Fields): ToolRequest | undefined {
  const { method, headers } = request;
  const named = new Set(argumentsIn(request.url));
  const text = fillArguments(request.url, (name) =>
    encodeURIComponent(String(args[name]).toWellFormed()),
  );
  if (!hasPlainPath(text) || hasEmptySegment(request.url, args)) return undefined;
  const url = new URL(text);
  const rest = Object.entries(args).filter(([name]) => !named.has(name));
  const own = { accept: 'application/json, text/*', 'accept-encoding': 'identity' };
  if (QUERY_METHODS.has(method)) {
    for (const [name, value] of rest) url.searchParams.append(name, queryValue(value));
    return { url, request: { method, headers: { ...own, ...headers } } };
  }
  const body = JSON.stringify(Object.fromEntries(rest));
  const sent = { 'content-type': 'application/json', ...own, ...headers };
  return {
    url,
    request: {
      method,
      headers: { ...sent, 'content-length': String(Buffer.byteLength(body)) },
      body,
    },
  };
}

function queryValue(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
}

/**
 * Returns whether the path has no segment `.` or `..`, plain or percent-encoded, because URLs resolve such segments.
 */
function hasPlainPath(url: string): boolean {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return path.split('/').every((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Returns whether an argument in the path is empty, so that the URL would name the parent resource. */
function hasEmptySegment(url: string, args: Fields): boolean {
  const [path = ''] = url.split('?');
  return argumentsIn(path).some((name) => args[name] === '');
}
