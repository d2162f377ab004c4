import { pgTable, sql, uuid } from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';

/**
 * All that is left of a deleted session, for as long as somebody may still have a token for its room, who could make that
 * come back: those of agents last a day.
 */
export const deletedRooms = pgTable('deleted_rooms', {
  sessionId: uuid('session_id').primaryKey(),
  barredUntil: timestamptz('barred_until').notNull().default(sql`now() + interval '25 hours'`),
});
