import { type CallOptions, changing, ending, path, posting, reading } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  IssuedWebhook,
  Webhook,
  WebhookAttempt,
  WebhookBody,
  WebhookChangeBody,
  WebhookDelivery,
  WebhookReplayBody,
  WebhookReplayed,
  WebhookRotationBody,
} from '../shapes.ts';

export interface DeliveryListOptions extends ListOptions {
  readonly sessionId?: string | undefined;
  /** `taken`: the last attempt was answered with 2xx. */
  readonly state?: 'failed' | 'taken' | undefined;
}

/**
 * Returns the calls for webhooks, which send the messages of a project to your server. A secret is shown only once,
 * when it is created.
 */
export function webhooksOf(transport: Transport) {
  return {
    list: (projectId: string, options?: CallOptions) =>
      listOf<Webhook>(transport, path`/projects/${projectId}/webhooks`, options),
    /**
     * Creates a webhook, which by default receives what is stored from now on. Throws `invalid_webhook_url` and
     * `webhook_capacity`.
     */
    create: (projectId: string, body: WebhookBody, options?: CallOptions) =>
      transport.json<IssuedWebhook>(posting(path`/projects/${projectId}/webhooks`, body, options)),
    get: (id: string, options?: CallOptions) =>
      transport.json<Webhook>(reading(path`/webhooks/${id}`, options)),
    /** Changes the given fields. The status `active` also retries deliveries that were given up. */
    change: (id: string, body: WebhookChangeBody, options?: CallOptions) =>
      transport.json<Webhook>(changing(path`/webhooks/${id}`, body, options)),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/webhooks/${id}`, options)),
    /** Returns the webhook with a new secret. The older secret also signs requests, for a day or for `keepOldHours`. */
    rotateSecret: (id: string, body: WebhookRotationBody = {}, options?: CallOptions) =>
      transport.json<IssuedWebhook>(posting(path`/webhooks/${id}/rotate-secret`, body, options)),
    test: (id: string, options?: CallOptions) =>
      transport.json<WebhookAttempt>({
        ...posting(path`/webhooks/${id}/test`, {}, options),
        waitMs: 15_000,
      }),
    /** Returns what was sent in the last seven days, the latest attempt first. */
    deliveries: (id: string, options?: DeliveryListOptions) =>
      listOf<WebhookDelivery>(transport, path`/webhooks/${id}/deliveries`, options),
    /** Sends a delivery again at once, and returns the receiver's answer. Throws `delivery_outdated`. */
    redeliver: (id: string, deliveryId: string, options?: CallOptions) =>
      transport.json<WebhookAttempt>({
        ...posting(path`/webhooks/${id}/deliveries/${deliveryId}/redeliver`, {}, options),
        waitMs: 15_000,
      }),
    /** Sends everything that was stored after `since` again, and returns the number of sessions concerned. */
    replay: (id: string, body: WebhookReplayBody, options?: CallOptions) =>
      transport.json<WebhookReplayed>(posting(path`/webhooks/${id}/replay`, body, options)),
  };
}
