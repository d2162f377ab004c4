import { check, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/** Users, who can log in. The check makes an e-mail address unique regardless of case. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull().unique('users_email'),
    passwordHash: text('password_hash').notNull(),
    name: text('name').notNull(),
    /** The networks of the last logins, the newest first: each a keyed hash, so that the database holds no addresses. */
    loginNetworks: text('login_networks').array().notNull().default(sql`'{}'`),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (t) => [check('users_email_lower', sql`${t.email} = lower(${t.email})`)],
);
