import { isoFromText } from '../../columns/iso-time.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type AppendedMessages, appendMessages } from './append-messages.ts';
import { IS_FULL, MESSAGE_COLUMNS, withinBytes } from './page-bytes.ts';
import {
  type MessagePage,
  type MessageRow,
  messageRows,
  type RawMessageRow,
} from './read-messages.ts';
import { whileActive } from './say-message.ts';

export interface MessageWithoutRawId {
  readonly timestamp: string;
  readonly kind: string;
  readonly content: string;
  readonly identity: string | null;
  /** An erased message has neither content nor identity. */
  readonly isErased: boolean;
}

export const LIST_MESSAGES_WITHOUT_RAW_ID = statement<
  [sessionId: string, after: string],
  Omit<MessageWithoutRawId, 'timestamp'> & { readonly at: string }
>(
  'list_messages_without_raw_id',
  `
select
  message."timestamp" as at,
  message.kind,
  message.content,
  message.metadata #>> '{participant,identity}' as identity,
  message.erased_at is not null as "isErased"
from messages message
where message.session_id = $1
  and message."timestamp" > $2::timestamptz
  -- A JSON null. A raw id is a string here, also that of a join, a leave or a gap.
  and message.metadata #> '{rawId}' = 'null'
order by message."timestamp"`,
);

/** Returns the session's messages without a raw id that are later than `after` (ISO 8601), the oldest first. */
export async function listMessagesWithoutRawId(
  database: DatabaseAccess,
  sessionId: string,
  after: string,
): Promise<MessageWithoutRawId[]> {
  const rows = await LIST_MESSAGES_WITHOUT_RAW_ID.run(database, sessionId, after);
  return rows.map(({ at, ...row }) => ({ ...row, timestamp: isoFromText(at) }));
}

export const FIND_MESSAGE = statement<[sessionId: string, id: string], RawMessageRow>(
  'find_message',
  `
select ${MESSAGE_COLUMNS}
from messages message
where message.session_id = $1
  and message.id = $2`,
);

export async function findMessage(
  database: DatabaseAccess,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<MessageRow | undefined> {
  return messageRows(await FIND_MESSAGE.run(database, sessionId, id))[0];
}

/** Less than a page has: a slow reader of an export keeps one batch in memory, and is removed from the project between two. */
const EXPORT_BYTES = 1024 * 1024;

const EXPORTED = `
  select stored.id, stored."timestamp", stored.created_at, stored.role, stored.status, stored.content, stored.metadata
  from messages stored
  where stored.session_id = $1
    and stored."timestamp" > $3::timestamptz
  order by stored."timestamp"
  limit $4`;

export const READ_MESSAGES_FOR_EXPORT = statement<
  [sessionId: string, userId: string, after: string, limit: number],
  RawMessageRow & { readonly isFull: boolean | null }
>(
  'read_messages_for_export',
  `
select ${IS_FULL}, ${MESSAGE_COLUMNS}
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
left join lateral (${withinBytes(EXPORTED, '"timestamp"', EXPORT_BYTES)}) message on true
where session.id = $1
  and session.deleted_at is null
order by message."timestamp"`,
);

/**
 * Returns up to `limit` messages and `EXPORT_BYTES` later than `after` (ISO 8601), at least one, the oldest first;
 * undefined when the user is not a member, even in the middle of an export.
 */
export async function readMessagesForExport(
  database: DatabaseAccess,
  page: {
    sessionId: string;
    userId: string;
    after: string;
    limit: number;
  },
): Promise<Pick<MessagePage, 'messages' | 'isFull'> | undefined> {
  const { sessionId, userId, after, limit } = page;
  const rows = await READ_MESSAGES_FOR_EXPORT.run(database, sessionId, userId, after, limit);
  const last = rows.at(-1);
  return last && { messages: messageRows(rows), isFull: last.isFull === true };
}

export const LIST_HEADS = statement<
  [sessionIds: readonly string[]],
  { readonly sessionId: string; readonly lastAt: string }
>(
  'list_heads',
  `
select session_id as "sessionId", last_at as "lastAt"
from session_heads
where session_id = any ($1::uuid[])`,
);

/** Returns the time of the newest message of each session. A session that is missing is deleted. */
export async function listHeads(
  database: DatabaseAccess,
  sessionIds: readonly string[],
): Promise<readonly { sessionId: string; lastAt: string }[]> {
  const heads = await LIST_HEADS.run(database, sessionIds);
  return heads.map((head) => ({ ...head, lastAt: isoFromText(head.lastAt) }));
}

/** Stores a message as `appendMessages` does. Returns undefined when its session is CLOSED or deleted. */
export async function sayMessage(
  database: DatabaseAccess,
  message: NewMessageRow,
): Promise<AppendedMessages | undefined> {
  return await whileActive(database, message.sessionId, (transaction) =>
    appendMessages(transaction, [message]),
  );
}
