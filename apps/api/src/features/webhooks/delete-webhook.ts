import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { webhookParams } from './webhook-schema.ts';

export function deleteWebhook(app: ZodApp, { authorize, database, inProjectTurn }: Deps): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'For an ADMIN. Nothing more is sent to it, but for a request that is under way.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    response: { 204: z.null() },
  };
  app.delete('/webhooks/:id', { schema }, async ({ userId, params }, reply) => {
    const found = await db.findWebhook(database, { id: params.id, userId });
    const { webhook } = await authorize(userId, 'manageWebhooks', found);
    const { projectId } = webhook;
    const isDeleted = await whileAuthorized(
      inProjectTurn,
      { projectId, userId, actions: ['manageWebhooks'] },
      (transaction) => db.deleteWebhook(transaction, { ...webhook, by: userId }),
    );
    if (!isDeleted) throw new AppError('not_found', 'the webhook was deleted meanwhile');
    return await reply.code(204).send(null);
  });
}
