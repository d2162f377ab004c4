import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebhookPayload } from '@session/contract';
import { serve } from '@session/testing/serve';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

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
  const server = await serve((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  return Object.assign(receiver, { ...server, url: `${server.url}/hook` });
}

/** Returns whether a receiver that has `secret` and the library of Standard Webhooks accepts the request. */
export function isSignedBy(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(
      body,
      Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    );
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
