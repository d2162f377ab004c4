import { index, integer, pgTable, primaryKey, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { followers } from './followers.ts';

/**
 * The last attempt to send each version of a message, event or notice to a webhook, kept for seven days, without what
 * was sent.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    webhookId: uuid('webhook_id')
      .notNull()
      .references(() => followers.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    seenAt: timestamptz('seen_at').notNull(),
    id: uuid('id').notNull(),
    type: text('type').notNull(),
    attempts: integer('attempts').notNull(),
    statusCode: integer('status_code'),
    durationMs: integer('duration_ms').notNull(),
    failure: text('failure'),
    response: text('response').notNull(),
    firstAt: timestamptz('first_at').notNull().defaultNow(),
    lastAt: timestamptz('last_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({
      name: 'webhook_deliveries_pkey',
      columns: [t.webhookId, t.sessionId, t.seenAt],
    }),
    index('webhook_deliveries_list').on(
      t.webhookId,
      t.lastAt.desc().nullsFirst(),
      t.id.desc().nullsFirst(),
    ),
    index('webhook_deliveries_failed')
      .on(t.webhookId, t.lastAt.desc().nullsFirst(), t.id.desc().nullsFirst())
      .where(sql`${t.failure} is not null`),
    index('webhook_deliveries_id').on(t.id),
    index('webhook_deliveries_age').on(t.lastAt),
  ],
);
