import { Id, pageOf, Since, WebhookDelivery, WholeNumberOr } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { webhookParams } from './webhook-schema.ts';

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([\da-f-]{36})$/;

const Position = z.object({ lastAt: Since, id: Id });

const Cursor = z.string().transform((text, context) => {
  const [, lastAt, id] = CURSOR.exec(text) ?? [];
  const parsed = Position.safeParse({ lastAt, id });
  if (parsed.success) return parsed.data;
  context.addIssue('the nextCursor of the page before is needed');
  return z.NEVER;
});

const querystring = z.strictObject({
  limit: WholeNumberOr(50, 1, 100),
  cursor: Cursor.optional(),
});

export function listDeliveries(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'listDeliveries',
    summary: 'List what was sent to a webhook, the last attempt first',
    description:
      'For an ADMIN. Each item is a version of a message, with what came of the last attempt to send it; kept for seven days. What was sent is not kept.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    querystring,
    response: { 200: pageOf(WebhookDelivery) },
  };
  app.get('/webhooks/:id/deliveries', { schema }, async ({ userId, params, query }) => {
    const { limit, cursor } = query;
    const page = { webhookId: params.id, userId, before: cursor, limit: limit + 1 };
    const found = await db.listDeliveries(database, page);
    const { deliveries } = await authorize(userId, 'manageWebhooks', found);
    const items = deliveries.slice(0, limit).map(({ seenAt, ...delivery }) => ({
      ...delivery,
      position: seenAt,
    }));
    const last = items.at(-1);
    const hasMore = deliveries.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? `${last.lastAt}_${last.id}` : null };
  });
}
