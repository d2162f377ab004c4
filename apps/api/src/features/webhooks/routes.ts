import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changeWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { redeliver } from './redeliver.ts';
import { replayWebhook } from './replay-webhook.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './send-test.ts';

export function webhookRoutes(app: ZodApp, deps: Deps): void {
  listWebhooks(app, deps);
  createWebhook(app, deps);
  getWebhook(app, deps);
  changeWebhook(app, deps);
  deleteWebhook(app, deps);
  rotateWebhookSecret(app, deps);
  testWebhook(app, deps);
  listDeliveries(app, deps);
  redeliver(app, deps);
  replayWebhook(app, deps);
}
