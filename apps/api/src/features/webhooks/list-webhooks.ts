import { pageOf, Webhook } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from '../projects/project-schema.ts';
import { webhookOf } from './webhook-schema.ts';

export function listWebhooks(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'listWebhooks',
    summary: 'List the webhooks of a project, the newest first',
    description: 'For an ADMIN. One page has all: `nextCursor` is null.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    response: { 200: pageOf(Webhook) },
  };
  app.get('/projects/:id/webhooks', { schema }, async ({ userId, params }) => {
    const found = await db.listWebhooks(database, { projectId: params.id, userId });
    const { webhooks } = await authorize(userId, 'manageWebhooks', found);
    return { items: webhooks.map(webhookOf), nextCursor: null };
  });
}
