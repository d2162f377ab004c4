import { bytea } from '../columns/bytea.ts';
import { index, pgTable, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { users } from './users.ts';

export const passwordLinks = pgTable(
  'password_links',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    secretHash: bytea('secret_hash').notNull().unique('password_links_secret'),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [index('password_links_expiry').on(t.expiresAt)],
);
