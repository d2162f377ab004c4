import { request } from 'node:http';
import { serve } from '@session/testing/serve';

const HOST = '127.0.0.1';

export interface WebhookRelay extends AsyncDisposable {
  readonly url: string;
  /** From now on sends webhooks to these ports in turn. Before the first call, webhooks are answered with 503. */
  leadTo(ports: readonly number[]): void;
}

export async function openWebhookRelay(): Promise<WebhookRelay> {
  let targets: readonly number[] = [];
  let turn = 0;
  const server = await serve((incoming, response) => {
    const refuse = () => response.writeHead(503).end();
    turn += 1;
    const port = targets[turn % targets.length];
    if (port === undefined) return refuse();
    const { method, headers, url } = incoming;
    const outgoing = request({ host: HOST, port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502);
      answer.pipe(response);
    });
    outgoing.on('error', refuse);
    return incoming.pipe(outgoing);
  });
  return {
    ...server,
    url: `${server.url}/webhooks/media`,
    leadTo(ports) {
      targets = ports;
    },
  };
}
