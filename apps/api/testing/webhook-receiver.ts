import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebhookPayload } from '@session/contract';

interface ReceivedWebhook {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly payload: WebhookPayload;
}

/** Answers a request; by default with 204. */
export type ReceiverAnswer = (response: ServerResponse, received: ReceivedWebhook) => unknown;

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Every request, in the order in which they came. */
  readonly received: ReceivedWebhook[];
  answer: ReceiverAnswer;
}

/** Starts a server on the loopback interface to which webhooks are sent. */
export async function startReceiver(
  answer: ReceiverAnswer = (response) => response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const receiver = { url: '', received, answer };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const webhook = { headers: request.headers, body, payload: JSON.parse(body) };
    received.push(webhook);
    await receiver.answer(response, webhook);
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has a port');
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${address.port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** Returns what `secret` signs of a request, as one part of `webhook-signature`. */
export function signatureBy(
  secret: string,
  { headers, body }: Pick<ReceivedWebhook, 'body' | 'headers'>,
): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
