import type { AddressInfo } from 'node:net';
import { listenAt } from '@session/kit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { browserHeaders } from './browser-headers.ts';
import type { Config } from './config.ts';
import { type DemoTokens, serveDemo } from './demo-login.ts';
import { isLoopback } from './local-request.ts';
import { INVALID_PATH, servePages } from './pages.ts';
import { refuseConnection, sendProblem } from './problems.ts';

/** In milliseconds. A client that does not read its answer is disconnected after `connectionTimeout` of silence. */
const LIMITS = {
  requestTimeout: 15_000,
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
  connectionTimeout: 30_000,
  // Longer than proxies keep a connection, so that no proxy uses one that just ended.
  keepAliveTimeout: 72_000,
};
const DRAIN_MS = 5000;

export interface ConsoleServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves the console. Disposal waits up to `DRAIN_MS` for the answers that have begun, then closes the server. There is a demo
 * account only while the server listens at an address that other machines cannot reach. Throws a StartError when there are no
 * pages, or the address cannot be used.
 */
export async function serveConsole(
  config: Config,
  log: FastifyBaseLogger,
  demoAccount: () => DemoTokens | undefined,
): Promise<ConsoleServer> {
  const headers = browserHeaders(config);
  const app = Fastify({
    ...LIMITS,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify's own 503 answer is not a problem document.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, _request, reply) => {
      void sendProblem(reply.headers(headers), 'invalid_request', INVALID_PATH);
    },
  });
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  app.addHook('onResponse', async ({ method, url }, { statusCode: status }) => {
    log.debug({ method, url, status }, 'request answered');
    // A connection that is answered during shutdown would otherwise stay open for another request.
    if (!app.server.listening) setImmediate(() => app.server.closeIdleConnections());
  });
  app.setErrorHandler((err, { method, url }, reply) => {
    log.error({ method, url, err }, 'request failed');
    const detail =
      'This server failed to answer. Try again. If that fails too, check the log of this server.';
    return sendProblem(reply, 'internal', detail);
  });
  // No route needs a body, so none is read.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // A client that gets this answer could also get the pages.
  app.get('/health', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  serveDemo(app, config.apiUrl, () =>
    isLoopback(addressOf(app).address) ? demoAccount() : undefined,
  );
  await servePages(app, config.pagesFolder);
  const { host, port } = config;
  await listenAt(config, () => app.listen({ host, port }));
  return { port: addressOf(app).port, [Symbol.asyncDispose]: async () => await close(app) };
}

function addressOf({ server }: FastifyInstance): AddressInfo {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no address');
  return address;
}

async function close(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(deadline);
}
