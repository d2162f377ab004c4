import { bigint, boolean, check, integer, pgTable, sql, uuid } from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';

/** Processes that record. The id is kept in a recorder's spool folder; the epoch is one more at each of its starts. */
export const recorders = pgTable(
  'recorders',
  {
    id: uuid('id').primaryKey(),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(1),
    capacity: integer('capacity').notNull(),
    load: integer('load').notNull().default(0),
    draining: boolean('draining').notNull().default(false),
    startedAt: timestamptz('started_at').notNull().defaultNow(),
    heartbeatAt: timestamptz('heartbeat_at').notNull().defaultNow(),
    /** All that it received before this is stored. */
    flushedAt: timestamptz('flushed_at').notNull().defaultNow(),
    /** When the oldest packet was received that it keeps for another recorder to store; null: it keeps none. */
    standbyAt: timestamptz('standby_at'),
  },
  (t) => [check('recorders_capacity', sql`${t.capacity} >= 0`)],
);
