import { bigint, pgTable, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

/**
 * The end of a session's history, and the lock under which the history is written: without a head no message is stored. The
 * table has half-filled pages and no index but its key, so that moving a head rewrites one page and no index.
 */
export const sessionHeads = pgTable('session_heads', {
  sessionId: uuid('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** The newest `timestamp` or `completed_at` ever used; at first the session's `created_at`. */
  lastAt: timestamptz('last_at').notNull(),
  messageCount: bigint('message_count', { mode: 'number' }).notNull().default(0),
});
