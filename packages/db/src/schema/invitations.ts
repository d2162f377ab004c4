import { bytea } from '../columns/bytea.ts';
import { check, index, pgTable, sql, text, unique, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role', { enum: ['OWNER', 'ADMIN', 'MEMBER'] }).notNull(),
    secretHash: bytea('secret_hash').notNull().unique('invitations_secret'),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [
    check('invitations_role', sql`${t.role} in ('OWNER', 'ADMIN', 'MEMBER')`),
    check('invitations_email_lower', sql`${t.email} = lower(${t.email})`),
    unique('invitations_project_email').on(t.projectId, t.email),
    index('invitations_expiry').on(t.expiresAt),
  ],
);
