import { index, pgTable, primaryKey, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

/** Which end users got a token for which sessions. */
export const sessionParticipants = pgTable(
  'session_participants',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Without a foreign key: sessions are deleted before the end users of their project. */
    userId: uuid('user_id').notNull(),
    projectId: uuid('project_id').notNull(),
    /** When the session was created, so that the index has the order in which sessions are listed. */
    createdAt: timestamptz('created_at').notNull(),
    /** The account that asked for the newest token: when it is removed, the end user is barred too. */
    issuedBy: uuid('issued_by').notNull(),
    firstAt: timestamptz('first_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'session_participants_pkey', columns: [t.sessionId, t.userId] }),
    index('session_participants_newest').on(
      t.projectId,
      t.userId,
      t.createdAt.desc().nullsFirst(),
      t.sessionId.desc().nullsFirst(),
    ),
  ],
);
