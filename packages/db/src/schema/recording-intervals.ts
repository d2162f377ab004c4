import { check, index, pgTable, primaryKey, sql, text, timestamp, uuid } from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';
import { sessions } from './sessions.ts';

/** When a recorder was connected to a session's room: what coverage and gaps are computed from. */
export const recordingIntervals = pgTable(
  'recording_intervals',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    recorderId: uuid('recorder_id').notNull(),
    /** When it was written: intervals of a session are written one after the other, so this is their order. */
    openedAt: timestamp('opened_at', { withTimezone: true, mode: 'string' })
      .notNull()
      .default(sql`clock_timestamp()`),
    fromAt: timestamptz('from_at').notNull(),
    /** Null: open. */
    toAt: timestamptz('to_at'),
    endReason: text('end_reason'),
  },
  (t) => [
    primaryKey({ name: 'recording_intervals_pkey', columns: [t.sessionId, t.id] }),
    check('recording_intervals_order', sql`${t.toAt} >= ${t.fromAt}`),
    index('recording_intervals_open').on(t.recorderId).where(sql`${t.toAt} is null`),
  ],
);
