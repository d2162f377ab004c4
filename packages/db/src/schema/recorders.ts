import { bigint, boolean, check, integer, pgTable, sql, uuid } from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';

/** Recorders. A recorder keeps its id in its spool folder. The epoch grows by one at each start. */
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
    /** Everything that the recorder received before this time is stored. */
    flushedAt: timestamptz('flushed_at').notNull().defaultNow(),
    /** The time of the oldest message that the recorder keeps in case a leader does not store it; null: it keeps none. */
    standbyAt: timestamptz('standby_at'),
  },
  (t) => [check('recorders_capacity', sql`${t.capacity} >= 0`)],
);
