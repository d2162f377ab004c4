import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeError, hasCode, StartError } from '@session/kit';
import { type HttpAnswer, problem } from './answer.ts';
import { browserHeaders } from './browser-headers.ts';
import type { Config } from './config.ts';
import { isLoopback } from './local-request.ts';
import type { Log } from './log.ts';
import type { Pages } from './pages.ts';
import { refuseConnection } from './refuse-connection.ts';
import { answer, type RouteDeps } from './routes.ts';

/** In milliseconds: how long a client may take to send a request, and how long to send its headers. */
const LIMITS = {
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2000,
};
/** How long a connection may be silent while it is answered: a client that does not read is cut. */
const SILENT_MS = 30_000;
/** How long a connection stays open between two requests: longer than proxies keep it, so that none meets its end. */
const KEPT_ALIVE_MS = 72_000;
/** How long answers that have begun may take after the server was asked to end. */
const DRAIN_MS = 5000;

export interface ConsoleServer extends AsyncDisposable {
  readonly port: number;
}

interface ServerDeps {
  readonly log: Log;
  readonly pages: Pages;
  readonly demoAccount: RouteDeps['demoAccount'];
}

const REASONS = {
  EADDRINUSE: 'is taken by another program: set PORT',
  EADDRNOTAVAIL: 'is not an address of this machine: set HOST',
  ENOTFOUND: 'is not an address: set HOST',
  EACCES: 'may not be used by this user: set PORT',
} as const;

/**
 * Serves the console. Disposal ends the server, after the answers that have begun. There is a demo account only while the
 * server listens at an address that other machines cannot reach. Throws a StartError when the address cannot be used.
 */
export async function serveConsole(config: Config, deps: ServerDeps): Promise<ConsoleServer> {
  const { log, pages, demoAccount } = deps;
  const common = browserHeaders(config);
  const server = createServer({ ...LIMITS, keepAliveTimeout: KEPT_ALIVE_MS });
  server.timeout = SILENT_MS;
  const { address, port } = await listen(server, config);
  const routeDeps: RouteDeps = {
    pages,
    apiUrl: config.apiUrl,
    demoAccount: () => (isLoopback(address) ? demoAccount() : undefined),
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url } = request;
    const given = await answer(request, routeDeps).catch((error: unknown) => {
      log.error({ method, url, err: describeError(error) }, 'request failed');
      return problem('internal', 'Something failed in this server. Its log says more.');
    });
    send(given, common, response, { isHead: method === 'HEAD' });
    // A connection that is answered while the server ends would otherwise stay open for its next request.
    if (!server.listening) response.once('close', () => server.closeIdleConnections());
    log.debug({ method, url, status: given.status }, 'request answered');
  };
  server.on('clientError', refuseConnection);
  server.on('request', (request, response) => {
    void respond(request, response);
  });
  return { port, [Symbol.asyncDispose]: () => close(server) };
}

async function listen(server: Server, { host, port }: Config): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const reason = Object.entries(REASONS).find(([code]) => hasCode(cause, code));
    if (!reason) throw cause;
    throw new StartError(`${host}:${port} ${reason[1]}.`, { cause });
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no address');
  return address;
}

function send(
  { status, headers, body }: HttpAnswer,
  common: Readonly<Record<string, string>>,
  response: ServerResponse,
  { isHead }: { readonly isHead: boolean },
): void {
  const hasBody = status !== 304;
  response.writeHead(status, {
    ...common,
    ...headers,
    ...(hasBody && { 'content-length': body.length }),
  });
  response.end(hasBody && !isHead ? body : undefined);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
}
