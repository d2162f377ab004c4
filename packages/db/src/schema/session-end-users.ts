import { pgTable, primaryKey, uuid } from '../columns/drizzle.ts';
import { sessions } from './sessions.ts';

/** Which end users got a token for which sessions. */
export const sessionEndUsers = pgTable(
  'session_end_users',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Without a foreign key: sessions are deleted before the end users of their project. */
    userId: uuid('user_id').notNull(),
    /** The account that asked for the newest token: when it is removed, the end user is barred too. */
    issuedBy: uuid('issued_by').notNull(),
  },
  (t) => [primaryKey({ name: 'session_end_users_pkey', columns: [t.sessionId, t.userId] })],
);
