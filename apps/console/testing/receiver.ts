import { once } from 'node:events';
import { createServer } from 'node:http';

interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** The types of what came, in order. */
  readonly types: readonly string[];
  /** Answers each request with `status` and `body` from now on. */
  answer(status: number, body?: string): void;
}

/** Starts a server that takes what a webhook sends. */
export async function startReceiver(): Promise<Receiver> {
  const types: string[] = [];
  let [status, text] = [204, ''];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      if (typeof body === 'object' && body && 'type' in body) types.push(String(body.type));
      response.writeHead(status).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/conversations`,
    types,
    answer: (nextStatus, body = '') => {
      [status, text] = [nextStatus, body];
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
