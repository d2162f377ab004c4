import { check, index, integer, jsonb, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

export const erasures = pgTable(
  'erasures',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id'),
    messageIds: uuid('message_ids').array(),
    identity: text('identity'),
    userId: uuid('user_id'),
    requestedBy: uuid('requested_by').notNull(),
    requestedAt: timestamptz('requested_at').notNull().defaultNow(),
    status: text('status', { enum: ['running', 'waiting', 'done'] })
      .notNull()
      .default('running'),
    counts: jsonb('counts').notNull().default({}),
    digest: text('digest'),
    erasedAt: timestamptz('erased_at'),
    finishedAt: timestamptz('finished_at'),
    attempts: integer('attempts').notNull().default(0),
  },
  (t) => [
    check('erasures_status', sql`${t.status} in ('running', 'waiting', 'done')`),
    index('erasures_list').on(
      t.projectId,
      t.requestedAt.desc().nullsFirst(),
      t.id.desc().nullsFirst(),
    ),
    index('erasures_open').on(t.id).where(sql`${t.status} <> 'done'`),
  ],
);
