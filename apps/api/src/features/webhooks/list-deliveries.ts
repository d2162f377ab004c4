import { Id, NOTICE_TYPES, pageOf, WebhookDelivery, WholeNumberOr } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { TimeCursor, timeCursor } from '../../http/time-cursor.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { webhookParams } from './webhook-schema.ts';

const querystring = z.strictObject({
  limit: WholeNumberOr(50, 1, 100),
  cursor: TimeCursor.optional(),
  sessionId: Id.optional().describe('Only deliveries of this session'),
  state: z
    .enum(['taken', 'failed'])
    .optional()
    .describe('`taken`: the last attempt was answered with 2xx'),
});

const NOTICES: ReadonlySet<string> = new Set(NOTICE_TYPES);

export function listDeliveries(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['webhooks'],
    operationId: 'listDeliveries',
    summary: 'List what was sent to a webhook, the last attempt first',
    description:
      'For an ADMIN. Each item is a version of a message, an event or a notice, with what came of the last attempt to send it; kept for seven days. What was sent is not kept.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    querystring,
    response: { 200: pageOf(WebhookDelivery) },
  };
  app.get('/webhooks/:id/deliveries', { schema }, async ({ userId, params, query }) => {
    const { limit, cursor, sessionId, state } = query;
    const page = {
      webhookId: params.id,
      userId,
      before: cursor && { lastAt: cursor.at, id: cursor.id },
      limit: limit + 1,
      sessionId,
      state,
    };
    const found = await db.listDeliveries(database, page);
    const { deliveries } = await authorize(userId, 'manageWebhooks', found);
    const items = deliveries.slice(0, limit).map(({ seenAt, ...delivery }) => ({
      ...delivery,
      sessionId: NOTICES.has(delivery.type) ? null : delivery.sessionId,
      position: seenAt,
    }));
    const last = items.at(-1);
    const hasMore = deliveries.length > limit && last !== undefined;
    return { items, nextCursor: hasMore ? timeCursor(last.lastAt, last.id) : null };
  });
}
