import { index, jsonb, pgTable, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/** Written in the transaction of its cause, without secrets and words of conversations. `actor` null: the service. */
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
  ],
);
