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
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

export const recordingAssignments = pgTable(
  'recording_assignments',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    slot: smallint('slot').notNull().default(0),
    recorderId: uuid('recorder_id'),
    status: text('status', {
      enum: ['waiting', 'connecting', 'recording', 'reconnecting', 'lost'],
    })
      .notNull()
      .default('waiting'),
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    connectedAt: timestamptz('connected_at'),
    attempts: smallint('attempts').notNull().default(0),
    nextAttemptAt: timestamptz('next_attempt_at').notNull().defaultNow(),
    failure: text('failure'),
    lastMessageAt: timestamptz('last_message_at'),
  },
  (t) => [
    primaryKey({ name: 'recording_assignments_pkey', columns: [t.sessionId, t.slot] }),
    unique('recording_assignments_session_recorder').on(t.sessionId, t.recorderId),
    // The slots of a recorder, the busiest first.
    index('recording_assignments_recorder')
      .on(t.recorderId, t.lastMessageAt.desc().nullsLast())
      .where(sql`${t.recorderId} is not null`),
    // The two orders in which a claim reads free slots: see claim-window.ts. Statements are planned while no slot is
    // free, when any index of free slots looks as good as another to PostgreSQL. So no other index serves a search for
    // either order.
    index('recording_assignments_free_busy')
      .on(t.lastMessageAt.desc().nullsFirst())
      .where(sql`${t.recorderId} is null and ${t.lastMessageAt} is not null`),
    index('recording_assignments_free_shuffled')
      .on(t.slot, sql`uuid_hash_extended(${t.sessionId}, 0)`)
      .where(sql`${t.recorderId} is null and ${t.slot} >= 0`),
    check('recording_assignments_slot', sql`${t.slot} >= 0`),
    check(
      'recording_assignments_status',
      sql`${t.status} in ('waiting', 'connecting', 'recording', 'reconnecting', 'lost')`,
    ),
  ],
);
