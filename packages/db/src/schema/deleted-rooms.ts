import { pgTable, sql, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/**
 * Rooms of deleted sessions, while a token for them may be valid, because a participant with a token could bring the
 * room back.
 */
export const deletedRooms = pgTable('deleted_rooms', {
  sessionId: uuid('session_id').primaryKey(),
  barredUntil: timestamptz('barred_until').notNull().default(sql`now() + interval '25 hours'`),
});
