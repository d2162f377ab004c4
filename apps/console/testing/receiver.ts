import { serve } from '@session/testing/serve';

interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** The `type` of each request, in order. */
  readonly types: readonly string[];
  /** Answers each request with `status` and `body` from now on. */
  answer(status: number, body?: string): void;
}

/** Starts a server that receives the requests of a webhook. */
export async function startReceiver(): Promise<Receiver> {
  const types: string[] = [];
  let [status, text] = [204, ''];
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      if (typeof body === 'object' && body && 'type' in body) types.push(String(body.type));
      response.writeHead(status).end(text);
    });
  });
  return {
    ...server,
    url: `${server.url}/conversations`,
    types,
    answer: (nextStatus, body = '') => {
      [status, text] = [nextStatus, body];
    },
  };
}
