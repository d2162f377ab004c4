import { bigint, integer, pgTable, primaryKey } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/**
 * The servers that have held this database. A promoted standby and a server that was restored to a point in time have a new
 * timeline; a server that was filled by `pg_restore` or `pg_upgrade` has another system identifier.
 */
export const databaseTimelines = pgTable(
  'database_timelines',
  {
    systemIdentifier: bigint('system_identifier', { mode: 'bigint' }).notNull(),
    timeline: integer('timeline').notNull(),
    notedAt: timestamptz('noted_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'database_timelines_pkey', columns: [t.systemIdentifier, t.timeline] }),
  ],
);
