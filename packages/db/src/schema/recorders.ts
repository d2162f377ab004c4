import { bigint, boolean, check, integer, pgTable, sql, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

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
    flushedAt: timestamptz('flushed_at').notNull().defaultNow(),
    standbyAt: timestamptz('standby_at'),
    roomLimit: integer('room_limit'),
    clockOffsetMs: bigint('clock_offset_ms', { mode: 'number' }).notNull().default(0),
    webhookAt: timestamptz('webhook_at'),
    slotsRankedAt: timestamptz('slots_ranked_at'),
  },
  (t) => [check('recorders_capacity', sql`${t.capacity} >= 0`)],
);
