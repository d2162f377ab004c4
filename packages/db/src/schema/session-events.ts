import { index, jsonb, pgTable, primaryKey, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/**
 * What happened to a session, at ticks of its clock, kept for 30 days. Also holds notices, under the id of a project or
 * webhook (webhook-notices.ts). Without a foreign key, because `session.deleted` outlives its session.
 */
export const sessionEvents = pgTable(
  'session_events',
  {
    sessionId: uuid('session_id').notNull(),
    seenAt: timestamptz('seen_at').notNull(),
    projectId: uuid('project_id').notNull(),
    type: text('type').notNull(),
    data: jsonb('data').notNull().default({}),
  },
  (t) => [
    primaryKey({ name: 'session_events_pkey', columns: [t.sessionId, t.seenAt] }),
    index('session_events_age').on(t.seenAt),
    index('session_events_deleted')
      .on(t.projectId, t.seenAt)
      .where(sql`${t.type} = 'session.deleted'`),
  ],
);
