import { pgTable, sql, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/**
 * All that is left of a deleted session. The row stays while a token for its room may be valid, because a participant with
 * a token could bring the room back. Tokens of agents last a day.
 */
export const deletedRooms = pgTable('deleted_rooms', {
  sessionId: uuid('session_id').primaryKey(),
  barredUntil: timestamptz('barred_until').notNull().default(sql`now() + interval '25 hours'`),
});
