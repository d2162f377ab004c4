import { check, index, integer, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/**
 * The check makes an e-mail address unique regardless of case. `service`: what an API key acts as, in its one project.
 * `end_user`: a user named by `external_id` in one project, and a member of none.
 */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull().unique('users_email'),
    /** Empty if no password opens the account. */
    passwordHash: text('password_hash').notNull(),
    name: text('name').notNull(),
    /** The networks of the last logins, the newest first: each a keyed hash, so that the database holds no addresses. */
    loginNetworks: text('login_networks').array().notNull().default(sql`'{}'`),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    kind: text('kind', { enum: ['person', 'service', 'end_user'] })
      .notNull()
      .default('person'),
    projectId: uuid('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    externalId: text('external_id'),
    /** Tokens of smaller versions are refused: see `ended_tokens`. */
    tokenVersion: integer('token_version').notNull().default(0),
    /** Issuer and subject, with a space between, of a person who signs in with the identity provider. */
    providerIdentity: text('provider_identity').unique('users_provider_identity'),
  },
  (t) => [
    check('users_email_lower', sql`${t.email} = lower(${t.email})`),
    check('users_kind', sql`${t.kind} in ('person', 'service', 'end_user')`),
    check('users_project', sql`(${t.kind} = 'person') = (${t.projectId} is null)`),
    check('users_address', sql`${t.kind} = 'person' or position('@' in ${t.email}) = 0`),
    index('users_project').on(t.projectId, t.kind).where(sql`${t.projectId} is not null`),
    // PostgreSQL's own order of a descending key; Drizzle's NULLS LAST would not serve `order by … desc`.
    index('users_newest_end_user')
      .on(t.projectId, t.createdAt.desc().nullsFirst(), t.id.desc().nullsFirst())
      .where(sql`${t.kind} = 'end_user'`),
  ],
);
