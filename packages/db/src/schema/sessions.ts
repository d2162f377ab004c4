import {
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/** An ACTIVE session is recorded; a CLOSED session is never opened again. The id is the name of the room. */
export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id),
    name: text('name').notNull(),
    status: text('status', { enum: ['ACTIVE', 'CLOSED'] })
      .notNull()
      .default('ACTIVE'),
    closeReason: text('close_reason', { enum: ['user', 'idle', 'project_deleted'] }),
    /** If true, `close_reason` is `user`, because an API of the former release fails on an unknown reason. */
    closedByAgent: boolean('closed_by_agent').notNull().default(false),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
    closedAt: timestamptz('closed_at'),
    deletedAt: timestamptz('deleted_at'),
    /** The time when a person was last seen in the room; kept only where idle sessions are closed. */
    attendedAt: timestamptz('attended_at'),
    metadata: jsonb('metadata').notNull().default({}),
    externalId: text('external_id'),
    historyFrom: timestamptz('history_from'),
  },
  (t) => [
    check('sessions_status', sql`${t.status} in ('ACTIVE', 'CLOSED')`),
    check('sessions_close_reason', sql`${t.closeReason} in ('user', 'idle', 'project_deleted')`),
    check('sessions_closed_at', sql`(${t.status} = 'CLOSED') = (${t.closedAt} is not null)`),
    check('sessions_closed_why', sql`(${t.status} = 'CLOSED') = (${t.closeReason} is not null)`),
    // PostgreSQL's own order of a descending key; Drizzle's NULLS LAST would not serve `order by … desc`.
    // Not partial: the deletion of a project, and the count of its agents, look for deleted sessions too.
    index('sessions_project_newest').on(
      t.projectId,
      t.createdAt.desc().nullsFirst(),
      t.id.desc().nullsFirst(),
    ),
    index('sessions_project_status').on(
      t.projectId,
      t.status,
      t.createdAt.desc().nullsFirst(),
      t.id.desc().nullsFirst(),
    ),
    // The words of the name and the metadata, each with the project. The migration makes the function. Without the list of
    // pending entries, which a search would have to read as a whole.
    index('sessions_terms')
      .using('gin', sql`session_terms(${t.projectId}, ${t.name}, ${t.metadata})`)
      .with({ fastupdate: false }),
    // Counts the ACTIVE sessions of an account's projects, against SESSION_CAPACITY_PER_ACCOUNT.
    index('sessions_project_active')
      .on(t.projectId)
      .where(sql`${t.status} = 'ACTIVE' and ${t.deletedAt} is null`),
    uniqueIndex('sessions_external_id')
      .on(t.projectId, t.externalId)
      .where(sql`${t.externalId} is not null and ${t.deletedAt} is null`),
    index('sessions_project_deleted')
      .on(t.projectId, t.deletedAt, t.id)
      .where(sql`${t.deletedAt} is not null`),
  ],
);
