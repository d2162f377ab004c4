import {
  bigint,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { followers } from './followers.ts';

/**
 * How far a follower is in a session: it has handled what became visible until `position`, and is behind while
 * `wanted`, the newest known time, is later. Both grow; only a replay or a change of the search language sets
 * `position` back.
 * - `claim`: counts the claims. A process that was frozen finds another number, and stops.
 * - `attempts`, `failing_since`, `failure`: of the next message after `position`. `dead_at`: since when it is no longer
 *   tried.
 * - `next_attempt_at`: when a process may claim the session: after the delay of a failure, or at the end of a claim's
 *   lease.
 */
export const followerPositions = pgTable(
  'follower_positions',
  {
    followerId: uuid('follower_id')
      .notNull()
      .references(() => followers.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    position: timestamptz('position').notNull(),
    wanted: timestamptz('wanted').notNull(),
    claim: bigint('claim', { mode: 'bigint' }).notNull().default(sql`0`),
    attempts: integer('attempts').notNull().default(0),
    failingSince: timestamptz('failing_since'),
    failure: text('failure'),
    deadAt: timestamptz('dead_at'),
    nextAttemptAt: timestamptz('next_attempt_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'follower_positions_pkey', columns: [t.followerId, t.sessionId] }),
    index('follower_positions_due')
      .on(t.followerId, t.nextAttemptAt)
      .where(sql`${t.wanted} > ${t.position} and ${t.deadAt} is null`),
    index('follower_positions_dead')
      .on(t.followerId, t.sessionId)
      .where(sql`${t.deadAt} is not null`),
  ],
);
