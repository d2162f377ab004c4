import type { NewMessageRow } from '../../schema/messages.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type AppendedMessages, appendMessages } from './append-messages.ts';
import { IS_FULL, MESSAGE_COLUMNS, withinBytes } from './page-bytes.ts';
import { messageRows, type RawMessageRow } from './read-messages.ts';
import { whileActive } from './say-message.ts';

export interface MessageWithoutRawId {
  readonly id: string;
  readonly timestamp: string;
  readonly kind: string;
  readonly content: string;
  readonly identity: string | null;
  readonly isErased: boolean;
  /** The span of a gap (ISO 8601); other kinds have none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the session's messages without a raw id that are later than `after` (ISO 8601), the oldest first. */
export const listMessagesWithoutRawId = statement(
  'list_messages_without_raw_id',
  (sessionId: string, after: string) => [sessionId, after],
  allRows<MessageWithoutRawId>,
)`
select
  message.id,
  message."timestamp",
  message.kind,
  message.content,
  message.metadata #>> '{participant,identity}' as identity,
  message.erased_at is not null as "isErased",
  message.metadata ->> 'from' as "from",
  message.metadata ->> 'to' as "to"
from messages message
where message.session_id = $1
  and message."timestamp" > $2::timestamptz
  -- A JSON null. A raw id is a string here, also that of a join, a leave or a gap.
  and message.metadata #> '{rawId}' = 'null'
order by message."timestamp"`;

export const findMessage = statement(
  'find_message',
  ({ sessionId, id }: { sessionId: string; id: string }) => [sessionId, id],
  (rows: RawMessageRow[]) => messageRows(rows)[0],
)`
select ${MESSAGE_COLUMNS}
from messages message
where message.session_id = $1
  and message.id = $2`;

/**
 * Less than `PAGE_BYTES`, because an export keeps one batch in memory while a slow reader takes it. Membership is
 * checked before each batch.
 */
const EXPORT_BYTES = 1024 * 1024;

const EXPORTED = `
  select stored.id, stored."timestamp", stored.created_at, stored.role, stored.status, stored.content, stored.metadata
  from messages stored
  where stored.session_id = $1
    and stored."timestamp" > $3::timestamptz
  order by stored."timestamp"
  limit $4`;

/**
 * Returns up to `limit` messages and `EXPORT_BYTES` later than `after` (ISO 8601), at least one, the oldest first; undefined
 * when the user is not a member, even in the middle of an export.
 */
export const readMessagesForExport = statement(
  'read_messages_for_export',
  (page: { sessionId: string; userId: string; after: string; limit: number }) => [
    page.sessionId,
    page.userId,
    page.after,
    page.limit,
  ],
  (rows: (RawMessageRow & { readonly isFull: boolean | null })[]) => {
    const last = rows.at(-1);
    return last && { messages: messageRows(rows), isFull: last.isFull === true };
  },
)`
select ${IS_FULL}, ${MESSAGE_COLUMNS}
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
left join lateral (${withinBytes(EXPORTED, '"timestamp"', EXPORT_BYTES)}) message on true
where session.id = $1
  and session.deleted_at is null
order by message."timestamp"`;

/** Returns the time of each session's head, which may be that of an event. Deleted sessions are missing. */
export const listHeads = statement(
  'list_heads',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<{ readonly sessionId: string; readonly lastAt: string }>,
)`
select session_id as "sessionId", last_at as "lastAt"
from session_heads
where session_id = any ($1::uuid[])`;

/** Stores a message as `appendMessages` does. Returns undefined when its session is CLOSED or deleted. */
export async function sayMessage(
  database: DatabaseAccess,
  message: NewMessageRow,
): Promise<AppendedMessages | undefined> {
  return await whileActive(database, message.sessionId, (transaction) =>
    appendMessages(transaction, [message]),
  );
}
