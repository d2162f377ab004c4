import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from './errors.ts';
import { http } from './node-http.ts';

/** A server on a separate port, for operators, monitoring programs and the media server's webhooks, and never for users. */
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
  /** The unparsed body, at most 1 MiB. */
  readonly body: string;
}

/**
 * The key of a GET route is its path. The key of any other route is its method and path: `POST /path`. If a route throws, the
 * answer is 500.
 */
export type InternalRoutes = Readonly<
  Record<string, (request: InternalRequest) => InternalAnswer | Promise<InternalAnswer>>
>;

export interface InternalAddress {
  readonly host: string;
  readonly port: number;
  readonly portVariable?: string;
}

const MAX_BODY_BYTES = 1_048_576;

/**
 * Reports only that the process runs, for a supervisor that restarts silent processes, and nothing about its
 * dependencies.
 */
const ALIVE: InternalAnswer = {
  status: 200,
  contentType: 'application/json',
  body: '{"status":"ok"}',
};

/**
 * Serves `routes`. If none has the path `/`, answers `GET /` with 200. Throws a StartError, which names `HOST` and the port's
 * variable, if the address cannot be used.
 */
export async function serveInternally(
  { host, port, portVariable = 'METRICS_PORT' }: InternalAddress,
  given: InternalRoutes,
): Promise<InternalServer> {
  const routes: InternalRoutes = { '/': () => ALIVE, ...given };
  const server = http.createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? [];
    const route = routes[request.method === 'GET' ? path : `${request.method} ${path}`];
    void sendAnswer(route, request, response);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const message = `${host}:${port} cannot be used (${code}): change ${portVariable} or HOST.`;
    throw new StartError(message, { cause });
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

async function sendAnswer(
  route: InternalRoutes[string] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType, body } = await answerOf(route, request);
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}

async function answerOf(
  route: InternalRoutes[string] | undefined,
  request: IncomingMessage,
): Promise<InternalAnswer> {
  const contentType = 'application/json';
  if (!route) return { status: 404, contentType, body: '{"status":"unknown"}' };
  try {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === undefined) return { status: 413, contentType, body: '{"status":"too large"}' };
    return await route({ headers: request.headers, body });
  } catch {
    return { status: 500, contentType, body: '{"status":"failed"}' };
  }
}

/** Returns the text of a body; undefined if it has more than `maxBytes`, or breaks off. */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of message) {
      const bytes = Buffer.from(chunk);
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) return undefined;
      chunks.push(bytes);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
