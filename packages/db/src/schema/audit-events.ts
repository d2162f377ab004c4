import { index, jsonb, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/**
 * An event is written in the transaction of its cause, and contains no secrets and no words of conversations. The `actor`
 * is null when the service acted by itself.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    at: timestamptz('at').notNull().defaultNow(),
    actor: uuid('actor'),
    action: text('action').notNull(),
    target: text('target').notNull(),
    detail: jsonb('detail').notNull().default({}),
  },
  (t) => [
    index('audit_events_list').on(t.projectId, t.at.desc().nullsFirst(), t.id.desc().nullsFirst()),
    index('audit_events_age').on(t.at),
    // An erasure takes the external id of its end user out of these events.
    index('audit_events_let_in')
      .on(t.projectId, t.target)
      .where(sql`${t.action} = 'end_user.let_in'`),
  ],
);
