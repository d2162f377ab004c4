import type { ProjectRole } from '../../schema/memberships.ts';
import type { messages } from '../../schema/messages.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { BOUNDED, type PageForm, type PageRow, readPage, USUAL } from './page-bytes.ts';

type MessageColumns = typeof messages.$inferSelect;

export interface MessageRow {
  readonly id: string;
  readonly timestamp: string;
  readonly createdAt: string;
  readonly role: MessageColumns['role'];
  readonly status: MessageColumns['status'];
  readonly content: string;
  readonly metadata: string | null;
}

type MessageOrder = 'asc' | 'desc';

/**
 * - `isCursorKnown`: false when the cursor is not a message of the session.
 * - `isFull`: the page ended at `PAGE_BYTES`, so there may be more messages although the page has fewer than `limit`.
 * - `end`: for filtered messages, the message at which the search stopped after `WALKED_FOR_FILTER` messages; null if the page
 *   was full before, or the history ended.
 */
export interface MessagePage {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly messages: MessageRow[];
  readonly isFull: boolean;
  readonly end: string | null;
}

export type StoredMessageRow = Omit<MessageRow, 'timestamp'> & { readonly at: string };

export type RawMessageRow = { readonly id: null } | StoredMessageRow;

export function historyStart(parameter: string): string {
  return `coalesce(${parameter}::timestamptz, '-infinity')`;
}

function pageText(order: MessageOrder, hasCursor: boolean, form: PageForm): string {
  const start = historyStart('$4');
  const cursorJoin = `
left join messages cursor_message
  on cursor_message.session_id = $1
  and cursor_message.id = $5
  and cursor_message."timestamp" > ${start}`;
  const [comparison, first] = order === 'asc' ? ['>', start] : ['<', `'infinity'`];
  const page = `
  select stored.*
  from (
    select stored.id, stored."timestamp", stored.created_at, stored.role, stored.status, stored.content, stored.metadata
    from messages stored
    where stored.session_id = $1
      and stored."timestamp" ${comparison} ${hasCursor ? 'cursor_message."timestamp"' : first}
    order by stored."timestamp" ${order}
    limit $3
  ) stored
  -- Outside of the limit: the index scan needs only one bound.
  where stored."timestamp" > ${start}`;
  return `
select
  ${hasCursor ? 'cursor_message.id is not null' : 'true'} as "isCursorKnown",
  membership.role as "memberRole",
  ${form.columns}
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
${hasCursor ? cursorJoin : ''}
left join lateral (${form.rows(page, `"timestamp" ${order}`, '$3')}) message on true
where session.id = $1
  and session.deleted_at is null
order by message."timestamp" ${order}`;
}

type PageParameters = [sessionId: string, userId: string, limit: number, from: string | null];

type PagedMessage = RawMessageRow &
  PageRow & { readonly memberRole: ProjectRole; readonly isCursorKnown: boolean };

export const PAGE_MESSAGES = statement(
  'page_messages',
  (...parameters: PageParameters) => parameters,
  allRows<PagedMessage>,
)`${pageText('desc', false, USUAL)}`;

export const PAGE_MESSAGES_BOUNDED = statement(
  'page_messages_bounded',
  (...parameters: PageParameters) => parameters,
  allRows<PagedMessage>,
)`${pageText('desc', false, BOUNDED)}`;

export const PAGE_MESSAGES_BEFORE = statement(
  'page_messages_before',
  (...parameters: [...PageParameters, cursor: string]) => parameters,
  allRows<PagedMessage>,
)`${pageText('desc', true, USUAL)}`;

export const PAGE_MESSAGES_BEFORE_BOUNDED = statement(
  'page_messages_before_bounded',
  (...parameters: [...PageParameters, cursor: string]) => parameters,
  allRows<PagedMessage>,
)`${pageText('desc', true, BOUNDED)}`;

export const PAGE_MESSAGES_FROM_START = statement(
  'page_messages_from_start',
  (...parameters: PageParameters) => parameters,
  allRows<PagedMessage>,
)`${pageText('asc', false, BOUNDED)}`;

export const PAGE_MESSAGES_AFTER = statement(
  'page_messages_after',
  (...parameters: [...PageParameters, cursor: string]) => parameters,
  allRows<PagedMessage>,
)`${pageText('asc', true, BOUNDED)}`;

const PAGES = {
  asc: {
    first: { usual: PAGE_MESSAGES_FROM_START, bounded: PAGE_MESSAGES_FROM_START },
    next: { usual: PAGE_MESSAGES_AFTER, bounded: PAGE_MESSAGES_AFTER },
  },
  desc: {
    first: { usual: PAGE_MESSAGES, bounded: PAGE_MESSAGES_BOUNDED },
    next: { usual: PAGE_MESSAGES_BEFORE, bounded: PAGE_MESSAGES_BEFORE_BOUNDED },
  },
} as const satisfies Record<MessageOrder, object>;

/**
 * Returns up to `limit` messages and `PAGE_BYTES` behind `cursor`, at least one, the newest first (`desc`) or the oldest
 * (`asc`). With `from` (ISO 8601), the history begins after that time. Undefined when the user is not a member, or the
 * session is missing.
 */
export async function pageMessages(
  database: DatabaseAccess,
  page: {
    sessionId: string;
    userId: string;
    cursor?: string | undefined;
    limit: number;
    order?: MessageOrder;
    from?: string | null;
  },
): Promise<MessagePage | undefined> {
  const { sessionId, userId, cursor, limit, order = 'desc', from = null } = page;
  const { first: firstPage, next: nextPage } = PAGES[order];
  const rows = await (cursor === undefined
    ? readPage(database, firstPage, [sessionId, userId, limit, from])
    : readPage(database, nextPage, [sessionId, userId, limit, from, cursor]));
  const [first] = rows;
  if (!first) return undefined;
  const { isCursorKnown, memberRole } = first;
  const isFull = rows.at(-1)?.isFull === true;
  return { isCursorKnown, memberRole, messages: messageRows(rows), isFull, end: null };
}

export function messageRows(rows: readonly RawMessageRow[]): MessageRow[] {
  return rows.flatMap((row) => (row.id === null ? [] : messageRow(row)));
}

export function messageRow(row: StoredMessageRow): MessageRow {
  return {
    id: row.id,
    timestamp: row.at,
    createdAt: row.createdAt,
    role: row.role,
    status: row.status,
    content: row.content,
    metadata: row.metadata,
  };
}
