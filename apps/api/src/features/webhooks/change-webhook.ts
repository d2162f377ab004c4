import { Webhook, WebhookChange } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { checkedUrl, webhookOf, webhookParams } from './webhook-schema.ts';

export function changeWebhook(
  app: ZodApp,
  { authorize, config, database, inProjectTurn }: Deps,
): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description:
      'For an ADMIN. What is left out stays. What is sent from now on, also of what waits, follows the new settings.',
    problems: ['forbidden', 'not_found', 'invalid_webhook_url'] as const,
    params: webhookParams,
    body: WebhookChange,
    response: { 200: Webhook },
  };
  app.patch('/webhooks/:id', { schema }, async ({ userId, params, body }) => {
    const key = { id: params.id, userId };
    const former = await db.findWebhook(database, key);
    const { webhook } = await authorize(userId, 'manageWebhooks', former);
    const { networks } = config.webhooks;
    const url = body.url === undefined ? undefined : checkedUrl(body.url, networks);
    const { projectId } = webhook;
    await whileAuthorized(
      inProjectTurn,
      { projectId, userId, actions: ['manageWebhooks'] },
      (transaction) => db.changeWebhook(transaction, { ...webhook, by: userId }, { ...body, url }),
    );
    const found = await db.findWebhook(database, key);
    return webhookOf((await authorize(userId, 'manageWebhooks', found)).webhook);
  });
}
