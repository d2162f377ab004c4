import {
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/**
 * The history. Within a session `timestamp` and `completed_at` together strictly increase in the order of commits: rows
 * are written under the lock of the session's head, which also fences deletion. For an imported message, this is true
 * only of `completed_at`.
 */
export const messages = pgTable(
  'messages',
  {
    sessionId: uuid('session_id').notNull(),
    id: uuid('id').notNull(),
    timestamp: timestamptz('timestamp').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    role: text('role', { enum: ['user', 'assistant', 'system'] }).notNull(),
    /** Null counts as complete. */
    status: text('status', { enum: ['pending', 'complete'] }),
    /**
     * Set from the clock of `timestamp` each time a pending row grows, when it is completed, and by an import or an
     * erasure.
     */
    completedAt: timestamptz('completed_at'),
    kind: text('kind').notNull(),
    content: text('content').notNull(),
    metadata: jsonb('metadata'),
    /** Set once the words were erased. Nothing changes the message afterwards. */
    erasedAt: timestamptz('erased_at'),
  },
  (t) => [
    primaryKey({ name: 'messages_pkey', columns: [t.sessionId, t.id] }),
    unique('messages_session_timestamp').on(t.sessionId, t.timestamp),
    check('messages_role', sql`${t.role} in ('user', 'assistant', 'system')`),
    check('messages_status', sql`${t.status} in ('pending', 'complete')`),
    // Mostly small: only messages that were pending once, imported or erased.
    uniqueIndex('messages_completed')
      .on(t.sessionId, t.completedAt)
      .where(sql`${t.completedAt} is not null`),
    // Only the messages from which the state of a session is folded.
    index('messages_state')
      .on(t.sessionId, t.timestamp)
      .where(
        sql`${t.kind} in ('complete_todo_list', 'plan_deliverable_update', 'state_change_notification')`,
      ),
  ],
);

type MessageColumns = typeof messages.$inferSelect;

/** `identity` null: unknown, so anybody. `since`: when the sender joined the room, in milliseconds since 1970. */
export interface SenderStay {
  readonly identity: string | null;
  readonly since: number;
}

/**
 * - `receivedAt`: milliseconds since 1970, by the writer's clock.
 * - `intervalId`: only for a message without a raw id: the interval of the leader that stores it. The message is
 *   skipped if other recorders have ended this interval because the leader was dead, and another recorder's interval
 *   either contains the receipt, or begins soon after it while the history has the same words.
 * - `senders`: for a message that an agent may have sent: everyone who may have sent it.
 */
export interface NewMessageRow {
  readonly sessionId: string;
  readonly id: string;
  readonly receivedAt: number;
  readonly role: MessageColumns['role'];
  readonly status: MessageColumns['status'];
  readonly kind: string;
  readonly content: string;
  readonly metadata: object | null;
  readonly intervalId?: string;
  readonly senders?: readonly SenderStay[];
}
