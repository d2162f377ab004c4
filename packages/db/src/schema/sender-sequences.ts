import {
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { sessions } from './sessions.ts';

const int4multirange = customType<{ data: string }>({ dataType: () => 'int4multirange' });

/**
 * Which of the messages that a sender has numbered are in the history. A follower fills this table from the history.
 * - `sender`: one for all identities of a user. `identity`: the newest one that was in the room.
 * - `heard`: numbers that are stored, or left out on purpose. `declared`: numbers that the history reports as missing.
 * - `partial`: numbers of which a part is stored: texts that are still being said, or whose rest was lost.
 * - `announced`: the last number of the sender, as the sender reported it; 0: not reported yet.
 * - `asking`: numbers for which the sender is asked. `asks`: how many times so far. `next_at`: when to continue; null:
 *   nothing is missing.
 * - `last_at`: when the newest message or report of a last number came; `missing_from`: the same for the newest one
 *   before the first missing number.
 * - `is_trusted`: false after a jump that no loss explains: nothing is asked for or declared.
 */
export const senderSequences = pgTable(
  'sender_sequences',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    sender: text('sender').notNull(),
    q: text('q').notNull(),
    identity: text('identity'),
    heard: int4multirange('heard').notNull(),
    partial: int4multirange('partial').notNull().default(sql`'{}'`),
    declared: int4multirange('declared').notNull().default(sql`'{}'`),
    announced: integer('announced').notNull().default(0),
    asking: int4multirange('asking').notNull().default(sql`'{}'`),
    asks: integer('asks').notNull().default(0),
    nextAt: timestamptz('next_at'),
    lastAt: timestamptz('last_at'),
    missingFrom: timestamptz('missing_from'),
    isTrusted: boolean('is_trusted').notNull().default(true),
  },
  (t) => [
    primaryKey({ name: 'sender_sequences_pkey', columns: [t.sessionId, t.sender, t.q] }),
    index('sender_sequences_next').on(t.nextAt).where(sql`${t.nextAt} is not null`),
  ],
);
