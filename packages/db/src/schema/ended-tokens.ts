import { index, integer, pgTable, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { users } from './users.ts';

/** Users whose tokens of smaller versions were ended before they expired. Every API process holds these rows in memory. */
export const endedTokens = pgTable(
  'ended_tokens',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    endedAt: timestamptz('ended_at').notNull().defaultNow(),
  },
  (t) => [index('ended_tokens_ended').on(t.endedAt)],
);
