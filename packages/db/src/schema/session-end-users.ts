import { index, pgTable, primaryKey, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

export const sessionEndUsers = pgTable(
  'session_end_users',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Without a foreign key, because sessions are deleted before the end users of their project. */
    userId: uuid('user_id').notNull(),
    /** The account that asked for the newest token. When the account is removed, the end user is barred too. */
    issuedBy: uuid('issued_by').notNull(),
    /** The session's project. The former release writes neither this nor the two columns below. */
    projectId: uuid('project_id'),
    sessionCreatedAt: timestamptz('session_created_at'),
    /** When the end user first got a token. With a token that limits the history, the history begins at this time. */
    firstAt: timestamptz('first_at'),
  },
  (t) => [
    primaryKey({ name: 'session_end_users_pkey', columns: [t.sessionId, t.userId] }),
    index('session_end_users_list').on(
      t.projectId,
      t.userId,
      t.sessionCreatedAt.desc().nullsFirst(),
      t.sessionId.desc().nullsFirst(),
    ),
  ],
);
