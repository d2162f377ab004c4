import { bigint, pgTable, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

/**
 * The end of a session's history, and the lock under which it is written: without a head no message is stored. Pages are
 * half-filled, and there are no other indexes, so that moving a head rewrites one page.
 */
export const sessionHeads = pgTable('session_heads', {
  sessionId: uuid('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  /** The newest `timestamp`, `completed_at` or time of an event ever used; at first the session's `created_at`. */
  lastAt: timestamptz('last_at').notNull(),
  messageCount: bigint('message_count', { mode: 'number' }).notNull().default(0),
});
