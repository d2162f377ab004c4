import { check, pgTable, sql, text, uuid } from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';

/** Users, who can log in. The check makes an e-mail address unique regardless of case. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull().unique('users_email'),
    passwordHash: text('password_hash').notNull(),
    name: text('name').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (t) => [check('users_email_lower', sql`${t.email} = lower(${t.email})`)],
);
