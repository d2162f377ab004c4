import {
  check,
  index,
  pgTable,
  primaryKey,
  sql,
  text,
  timestamp,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

/** From when to when a recorder was connected to a session's room. Coverage and gaps are computed from these rows. */
export const recordingIntervals = pgTable(
  'recording_intervals',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    recorderId: uuid('recorder_id').notNull(),
    /** The time of the insert. The intervals of a session are inserted one after the other, so this is their order. */
    openedAt: timestamp('opened_at', { withTimezone: true, mode: 'string' })
      .notNull()
      .default(sql`clock_timestamp()`),
    fromAt: timestamptz('from_at').notNull(),
    toAt: timestamptz('to_at'),
    endReason: text('end_reason'),
    /**
     * When the oldest word was received that the recorder keeps in memory only; null: none. If the recorder dies, its interval
     * ends here.
     */
    unsureFrom: timestamptz('unsure_from'),
  },
  (t) => [
    primaryKey({ name: 'recording_intervals_pkey', columns: [t.sessionId, t.id] }),
    check('recording_intervals_order', sql`${t.toAt} >= ${t.fromAt}`),
    index('recording_intervals_open').on(t.recorderId).where(sql`${t.toAt} is null`),
  ],
);
