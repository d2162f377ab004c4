import {
  hasCode,
  type InternalAnswer,
  type InternalRequest,
  type InternalServer,
  serveInternally,
} from '@session/kit';
import type { openWebhooks, RoomPresence } from '@session/media';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { RecorderHealth } from '../recorder.ts';

interface Served {
  readonly log: Pick<Logger, 'warn'>;
  readonly health: () => RecorderHealth;
  readonly metrics: Registry;
  /** Reads a webhook of the media server. */
  readonly readWebhook: ReturnType<typeof openWebhooks>;
  /** Takes what a webhook tells; throws when it cannot now. */
  readonly tell: (presence: RoomPresence) => Promise<void>;
}

/**
 * Serves, for operators, `GET /health`: how the recorder does, with 200, or 503 when it cannot work; and `GET /metrics`.
 * For the media server, `POST /webhooks/media`: 200, 401 for what it has not signed, 503 when it is to tell it again.
 * Throws a StartError when the address cannot be had.
 */
export async function serveRecorder(
  address: { readonly host: string; readonly port: number },
  served: Served,
): Promise<InternalServer> {
  const { health, metrics } = served;
  return await serveInternally(address, {
    '/health': () => healthOf(health()),
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.metrics(),
    }),
    'POST /webhooks/media': async (request) => await take(request, served),
  });
}

async function take(
  { headers, body }: InternalRequest,
  { readWebhook, tell, log }: Served,
): Promise<InternalAnswer> {
  const contentType = 'application/json';
  try {
    const presence = await readWebhook(body, headers.authorization);
    if (presence) await tell(presence);
    return { status: 200, contentType, body: '{"status":"taken"}' };
  } catch (error) {
    if (hasCode(error, 'unauthorized')) {
      return { status: 401, contentType, body: '{"status":"not signed"}' };
    }
    log.warn({ err: error }, 'what the media server tells cannot be taken now');
    return { status: 503, contentType, body: '{"status":"unavailable"}' };
  }
}

function healthOf(health: RecorderHealth): InternalAnswer {
  const status = health.status === 'unavailable' ? 503 : 200;
  return { status, contentType: 'application/json', body: JSON.stringify(health) };
}
