import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '@session/kit';
import type { RecorderHealth } from './recorder.ts';

/** The internal server: for operators and what watches the process, never for users. */
export interface InternalServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `GET /health`: what `health` gives, with 200, or 503 when the recorder cannot work. Throws a StartError when the
 * address cannot be had. The webhooks of the media server and the metrics will be served here, too.
 */
export async function serveInternally(
  { host, port }: { host: string; port: number },
  health: () => RecorderHealth,
): Promise<InternalServer> {
  const server = createServer((request, response) => {
    const isHealth = request.method === 'GET' && request.url === '/health';
    const body = isHealth ? health() : { status: 'unknown' };
    let status = isHealth ? 200 : 404;
    if (body.status === 'unavailable') status = 503;
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
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
