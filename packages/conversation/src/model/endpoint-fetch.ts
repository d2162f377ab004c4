import { Readable } from 'node:stream';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.ts';
import { ModelFailure } from './model-failure.ts';

export interface EndpointFetch extends Disposable {
  readonly fetch: typeof fetch;
}

const BODILESS_STATUSES = new Set([204, 205, 304]);

/**
 * Returns a `fetch` to pass to libraries, such as a client of speech endpoints. It keeps the rules of `HttpExchange`: no
 * redirect to another host, no link-local address, the operator's proxies. Rejects with a ModelFailure, or with the reason
 * of the request's signal.
 */
export function openEndpointFetch(options: HttpExchangeOptions): EndpointFetch {
  const exchange = new HttpExchange(options);
  return {
    fetch: async (input, init) => await fetchThrough(exchange, new Request(input, init)),
    [Symbol.dispose]: () => exchange[Symbol.dispose](),
  };
}

async function fetchThrough(exchange: HttpExchange, request: Request): Promise<Response> {
  const { method, signal } = request;
  if (method !== 'GET' && method !== 'POST')
    throw new ModelFailure('refused', `${method} is refused`);
  const headers = Object.fromEntries(request.headers);
  const body = method === 'POST' ? { body: new Uint8Array(await request.arrayBuffer()) } : {};
  const received = await exchange.send(new URL(request.url), { method, headers, ...body }, signal);
  const { statusCode: status = 0, statusMessage: statusText = '' } = received;
  const hasBody = !BODILESS_STATUSES.has(status);
  if (!hasBody) received.resume();
  return new Response(hasBody ? Readable.toWeb(received) : null, {
    status,
    statusText,
    headers: Object.entries(received.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  });
}
