import { check, index, pgTable, sql, text, unique, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';
import { users } from './users.ts';

export const memberships = pgTable(
  'memberships',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ['OWNER', 'ADMIN', 'MEMBER'] })
      .notNull()
      .default('MEMBER'),
    // For an OWNER, since when. An owner who takes the project over gets a time just before that of the project's
    // former account.
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (t) => [
    check('memberships_role', sql`${t.role} in ('OWNER', 'ADMIN', 'MEMBER')`),
    unique('memberships_user_project').on(t.userId, t.projectId),
    index('memberships_project').on(t.projectId),
    // Finds the account of a project: see queries/accounts/account-usage.ts.
    index('memberships_owner').on(t.projectId, t.createdAt, t.id).where(sql`${t.role} = 'OWNER'`),
  ],
);

export type ProjectRole = (typeof memberships.$inferSelect)['role'];
