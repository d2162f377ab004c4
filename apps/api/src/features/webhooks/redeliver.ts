import { Id, WebhookAttempt } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { WebhookSender } from '../../webhooks/webhook-request.ts';
import { secretsOf } from '../../webhooks/webhook-secrets.ts';
import { eventOf } from './webhook-event.ts';
import { webhookParams } from './webhook-schema.ts';

const PER_MINUTE = 60;

const params = webhookParams.extend({ deliveryId: Id });

export function redeliver(app: ZodApp, { authorize, config, database, vault }: Deps): void {
  const sender = new WebhookSender(config.webhooks.networks);
  app.addHook('onClose', async () => sender[Symbol.dispose]());
  const schema = {
    tags: ['webhooks'],
    operationId: 'redeliver',
    summary: 'Send a delivery again',
    description:
      'For an ADMIN. Sends the message, event or notice of a delivery at once, with the `webhook-id` and the position that it had, and returns what the receiver answered within 15 s. Nothing else is sent or held up by this. A message that has changed or was deleted since is not sent (`delivery_outdated`): a newer version has a delivery of its own. The deliveries of an erased message are erased too (`not_found`).',
    problems: ['forbidden', 'not_found', 'delivery_outdated'] as const,
    params,
    response: { 200: WebhookAttempt },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: limitedByUser(PER_MINUTE),
  };
  const url = '/webhooks/:id/deliveries/:deliveryId/redeliver';
  app.post(url, route, async ({ userId, params: { id: webhookId, deliveryId } }) => {
    const found = await db.findWebhook(database, { id: webhookId, userId });
    await authorize(userId, 'manageWebhooks', found);
    const target = await db.findWebhookTarget(database, webhookId);
    const delivery = target && (await db.findDelivery(database, webhookId, deliveryId));
    if (!delivery) throw new AppError('not_found', 'the webhook has no such delivery');
    const { sessionId, seenAt } = delivery;
    // Positions are whole milliseconds.
    const after = new Date(Date.parse(seenAt) - 1).toISOString();
    const followed = await db.followSession(database, { sessionId, position: after, limit: 1 });
    const version = followed?.versions[0];
    if (!followed || version?.seenAt !== seenAt) {
      throw new AppError('delivery_outdated', 'the version of the delivery is gone');
    }
    const { session } = followed;
    const { id, body } = eventOf(target, { sessionId, session, after }, version);
    const secrets = secretsOf(vault.open(target), target);
    const answer = await sender.send({ url: target.url, id, body, secrets });
    const { statusCode, durationMs, failure, response } = answer;
    const attempt = { statusCode, durationMs, failure, response };
    await db.noteRedelivered(database, { webhookId, sessionId, seenAt }, attempt);
    return attempt;
  });
}
