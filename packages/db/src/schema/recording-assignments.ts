import {
  bigint,
  check,
  index,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts';
import { timestamptz } from '../timestamptz.ts';
import { sessions } from './sessions.ts';

/** Slots: one row for each recorder that should record the session. Slot 0 is created with the session. */
export const recordingAssignments = pgTable(
  'recording_assignments',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    slot: smallint('slot').notNull().default(0),
    /** Null: free. */
    recorderId: uuid('recorder_id'),
    status: text('status', {
      enum: ['waiting', 'connecting', 'recording', 'reconnecting', 'lost'],
    })
      .notNull()
      .default('waiting'),
    /** Grows by one at each claim: a recorder with an older epoch no longer holds the slot. */
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    connectedAt: timestamptz('connected_at'),
    attempts: smallint('attempts').notNull().default(0),
    nextAttemptAt: timestamptz('next_attempt_at').notNull().defaultNow(),
    failure: text('failure'),
  },
  (t) => [
    primaryKey({ name: 'recording_assignments_pkey', columns: [t.sessionId, t.slot] }),
    unique('recording_assignments_session_recorder').on(t.sessionId, t.recorderId),
    index('recording_assignments_recorder').on(t.recorderId),
    check('recording_assignments_slot', sql`${t.slot} >= 0`),
    check(
      'recording_assignments_status',
      sql`${t.status} in ('waiting', 'connecting', 'recording', 'reconnecting', 'lost')`,
    ),
  ],
);
