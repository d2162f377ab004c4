import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
}

/** Starts an HTTP server on a loopback port that the system chooses. Disposal cuts all connections. */
export async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
