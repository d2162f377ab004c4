import { check, index, integer, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/**
 * Readers of the history that remember their position in each session (`follower_positions`). Writers store nothing for them.
 * - `project_id` null: a follower of all projects. `starts_at`: what was stored until then is not read.
 * - `status`: a `deleted` follower is deleted in batches with its positions.
 * - `failures`, `failing_since`, `retry_at`: how many deliveries in a row have failed, in any session, since when, and until
 *   when none is tried.
 */
export const followers = pgTable(
  'followers',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['webhook', 'search', 'sequence'] }).notNull(),
    projectId: uuid('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    startsAt: timestamptz('starts_at').notNull(),
    status: text('status', { enum: ['active', 'disabled', 'deleted'] })
      .notNull()
      .default('active'),
    failures: integer('failures').notNull().default(0),
    failingSince: timestamptz('failing_since'),
    retryAt: timestamptz('retry_at'),
  },
  (t) => [
    check('followers_kind', sql`${t.kind} in ('webhook', 'search', 'sequence')`),
    check('followers_status', sql`${t.status} in ('active', 'disabled', 'deleted')`),
    index('followers_project').on(t.projectId),
  ],
);

export type FollowerKind = typeof followers.$inferSelect.kind;
