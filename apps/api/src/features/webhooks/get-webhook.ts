import { Webhook } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { webhookOf, webhookParams } from './webhook-schema.ts';

export function getWebhook(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    description: 'For an ADMIN: its settings, how far it is behind, and why.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    response: { 200: Webhook },
  };
  app.get('/webhooks/:id', { schema }, async ({ userId, params }) => {
    const found = await db.findWebhook(database, { id: params.id, userId });
    return webhookOf((await authorize(userId, 'manageWebhooks', found)).webhook);
  });
}
