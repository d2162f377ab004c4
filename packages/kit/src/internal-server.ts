import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from './errors.ts';

/** A server for operators and what watches the process, on a port of its own: never for users. */
export interface InternalServer extends AsyncDisposable {
  readonly port: number;
}

export interface InternalAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface InternalRequest {
  readonly headers: IncomingHttpHeaders;
  /** As it came, up to 1 MiB. */
  readonly body: string;
}

/**
 * What is answered to a GET, by its path, and to others, by method and path: `POST /path`. One that throws is answered
 * with 500, and without its reason.
 */
export type InternalRoutes = Readonly<
  Record<string, (request: InternalRequest) => InternalAnswer | Promise<InternalAnswer>>
>;

const MAX_BODY_BYTES = 1_048_576;

/**
 * Serves `routes` at the address; port 0 takes a free one. Throws a StartError that names `METRICS_PORT` and `HOST`, which
 * set it, when it cannot be had.
 */
export async function serveInternally(
  { host, port }: { readonly host: string; readonly port: number },
  routes: InternalRoutes,
): Promise<InternalServer> {
  const server = createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? [];
    const route = routes[request.method === 'GET' ? path : `${request.method} ${path}`];
    void answer(route, request, response);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const place = `${host}:${port}`;
    throw new StartError(`${place} cannot be used (${code}): set METRICS_PORT and HOST.`, {
      cause,
    });
  });
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  route: InternalRoutes[string] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType, body } = await give(route, request);
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}

async function give(
  route: InternalRoutes[string] | undefined,
  request: IncomingMessage,
): Promise<InternalAnswer> {
  const contentType = 'application/json';
  if (!route) return { status: 404, contentType, body: '{"status":"unknown"}' };
  try {
    const body = await readBody(request);
    if (body === undefined) return { status: 413, contentType, body: '{"status":"too large"}' };
    return await route({ headers: request.headers, body });
  } catch {
    return { status: 500, contentType, body: '{"status":"failed"}' };
  }
}

/** Gives the whole body, or undefined when it is too large. Throws when the connection breaks. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.length;
    if (sizeBytes > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}
