import {
  hasCode,
  type InternalAddress,
  type InternalAnswer,
  type InternalRequest,
  type InternalRoutes,
  type InternalServer,
  type Readiness,
  serveInternally,
} from '@session/kit';
import type { MediaWebhook, openWebhooks } from '@session/media';
import type { Registry } from 'prom-client';
import type { RecorderLog } from './log.ts';
import type { RecorderHealth } from './recorder-health.ts';

export type WebhookResult = 'failed' | 'taken' | 'unsigned';

interface Served {
  readonly log: RecorderLog;
  readonly health: () => RecorderHealth;
  readonly metrics: Registry;
  readonly readiness: Readiness;
  readonly countWebhook: (result: WebhookResult) => void;
  readonly readWebhook: ReturnType<typeof openWebhooks>;
  readonly receiveWebhook: (webhook: MediaWebhook) => Promise<void>;
}

export interface RecorderServer extends InternalServer {
  readonly webhookPort: number;
}

/**
 * Serves the internal port: `GET /health`, `/ready` and `/metrics` for operators, and `POST /webhooks/media`, at the address
 * of `webhooks` if there is one. A webhook that the media server has not signed gets 401, and one that the server should
 * repeat gets 503. Throws a StartError when an address cannot be used.
 */
export async function serveRecorder(
  address: InternalAddress,
  served: Served,
  webhooks?: InternalAddress,
): Promise<RecorderServer> {
  await using stack = new AsyncDisposableStack();
  const forOperators: InternalRoutes = operatorRoutes(served);
  const forMedia: InternalRoutes = {
    'POST /webhooks/media': async (request) => await webhookAnswer(request, served),
  };
  const own = webhooks && stack.use(await serveInternally(webhooks, forMedia));
  const routes = own ? forOperators : { ...forOperators, ...forMedia };
  const { port } = stack.use(await serveInternally(address, routes));
  const servers = stack.move();
  return {
    port,
    webhookPort: own?.port ?? port,
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
}

function operatorRoutes({ health, metrics, readiness }: Served): InternalRoutes {
  return {
    '/health': () => healthAnswer(health()),
    '/ready': () => readiness.answer,
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.metrics(),
    }),
  };
}

async function webhookAnswer(
  { headers, body }: InternalRequest,
  { readWebhook, receiveWebhook, countWebhook, log }: Served,
): Promise<InternalAnswer> {
  const contentType = 'application/json';
  try {
    const webhook = await readWebhook(body, headers.authorization);
    if (webhook) await receiveWebhook(webhook);
    countWebhook('taken');
    return { status: 200, contentType, body: '{"status":"taken"}' };
  } catch (error) {
    if (hasCode(error, 'unauthorized')) {
      countWebhook('unsigned');
      return { status: 401, contentType, body: '{"status":"not signed"}' };
    }
    countWebhook('failed');
    log.warn({ err: error }, 'processing media webhook failed');
    return { status: 503, contentType, body: '{"status":"unavailable"}' };
  }
}

function healthAnswer(health: RecorderHealth): InternalAnswer {
  const status = health.status === 'unavailable' ? 503 : 200;
  return { status, contentType: 'application/json', body: JSON.stringify(health) };
}
