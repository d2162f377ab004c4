import { WebhookAttempt } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { WebhookSender } from '../../webhooks/webhook-request.ts';
import { secretsOf } from '../../webhooks/webhook-secrets.ts';
import { webhookParams } from './webhook-schema.ts';

const PER_MINUTE = 20;

export function testWebhook(app: ZodApp, { authorize, config, database, now, vault }: Deps): void {
  const sender = new WebhookSender(config.webhooks.networks);
  app.addHook('onClose', async () => sender[Symbol.dispose]());
  const schema = {
    tags: ['webhooks'],
    operationId: 'testWebhook',
    summary: 'Send a test to a webhook',
    description:
      'For an ADMIN. Sends `{"type":"webhook.test"}`, signed as everything else, once, and returns what the receiver answered within 15 s.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    response: { 200: WebhookAttempt },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: limitedByUser(PER_MINUTE),
  };
  app.post('/webhooks/:id/test', route, async ({ userId, params }) => {
    const found = await db.findWebhook(database, { id: params.id, userId });
    await authorize(userId, 'manageWebhooks', found);
    const target = await db.findWebhookTarget(database, params.id);
    if (!target) throw new AppError('not_found', 'the webhook was deleted meanwhile');
    const { id, projectId, url } = target;
    const timestamp = new Date(now()).toISOString();
    const data = { projectId, webhookId: id };
    const body = JSON.stringify({ type: 'webhook.test', timestamp, data });
    const secrets = secretsOf(vault.open(target), target);
    const answer = await sender.send({ url, id: uuidv7(), body, secrets });
    const { statusCode, durationMs, failure, response } = answer;
    return { statusCode, durationMs, failure, response };
  });
}
