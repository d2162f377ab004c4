import { type InternalAnswer, type InternalServer, serveInternally } from '@session/kit';
import type { Registry } from 'prom-client';
import type { RecorderHealth } from './recorder.ts';

/**
 * Serves, for operators, `GET /health`: what `health` gives, with 200, or 503 when the recorder cannot work; and
 * `GET /metrics`. Throws a StartError when the address cannot be had. The webhooks of the media server will be served here,
 * too.
 */
export async function serveRecorder(
  address: { readonly host: string; readonly port: number },
  health: () => RecorderHealth,
  metrics: Registry,
): Promise<InternalServer> {
  return await serveInternally(address, {
    '/health': () => healthOf(health()),
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.metrics(),
    }),
  });
}

function healthOf(health: RecorderHealth): InternalAnswer {
  const status = health.status === 'unavailable' ? 503 : 200;
  return { status, contentType: 'application/json', body: JSON.stringify(health) };
}
