import { pgTable, primaryKey, sql, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';
import { users } from './users.ts';

/**
 * Former members who may still have a token for the project's rooms. Until `barred_until` they are removed from the rooms.
 */
export const removedMembers = pgTable(
  'removed_members',
  {
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    barredUntil: timestamptz('barred_until').notNull().default(sql`now() + interval '15 min'`),
  },
  (t) => [primaryKey({ name: 'removed_members_pkey', columns: [t.projectId, t.userId] })],
);
