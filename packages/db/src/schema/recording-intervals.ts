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

export const recordingIntervals = pgTable(
  'recording_intervals',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    recorderId: uuid('recorder_id').notNull(),
    openedAt: timestamp('opened_at', { withTimezone: true, mode: 'string' })
      .notNull()
      .default(sql`clock_timestamp()`),
    fromAt: timestamptz('from_at').notNull(),
    toAt: timestamptz('to_at'),
    endReason: text('end_reason'),
    unsureFrom: timestamptz('unsure_from'),
  },
  (t) => [
    primaryKey({ name: 'recording_intervals_pkey', columns: [t.sessionId, t.id] }),
    check('recording_intervals_order', sql`${t.toAt} >= ${t.fromAt}`),
    index('recording_intervals_open').on(t.recorderId).where(sql`${t.toAt} is null`),
  ],
);
