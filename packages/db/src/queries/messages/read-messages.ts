import { isoFromText } from '../../columns/iso-time.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import type { messages } from '../../schema/messages.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { BOUNDED, type PageForm, type PageRow, readPage, USUAL } from './page-bytes.ts';
import { expiredPosition, resetPosition } from './reset-position.ts';

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
 * - `isFull`: the page ended at `PAGE_BYTES`: more may follow, although there are fewer than `limit`.
 * - `end`: of filtered messages: behind it the history goes on when the page is not full; null at its end.
 */
export interface MessagePage {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly messages: MessageRow[];
  readonly isFull: boolean;
  readonly end: string | null;
}

export interface LatestMessageRow extends MessageRow {
  /** When the message became visible: when it was stored, or when it was completed. The `since` of those behind it. */
  readonly seenAt: string;
}

/**
 * - `messages`: in the order in which they became visible, or changed last. Readers served by one read share one array.
 * - `nextSince`: with it, the next read misses nothing, and repeats only pending messages that changed.
 * - `hasMore`: more may be behind `limit` or `PAGE_BYTES`.
 * - `lastAt`: the time of the head. A reader that found no messages waits until it changes.
 * - `isReset`: a restore lost what the reader may have read, or what it has not read was deleted: it forgets what it has, and
 *   reads again from `nextSince`.
 */
export interface LatestMessageRows {
  readonly memberRole: ProjectRole;
  readonly messages: LatestMessageRow[];
  readonly nextSince: string;
  readonly hasMore: boolean;
  readonly lastAt: string;
  readonly isReset: boolean;
}

export type StoredMessageRow = Omit<MessageRow, 'timestamp'> & { readonly at: string };

export type RawMessageRow = { readonly id: null } | StoredMessageRow;

/** The time after which a reader may read: that of the parameter, which is null for readers of the whole history. */
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

export const PAGE_MESSAGES = statement<PageParameters, PagedMessage>(
  'page_messages',
  pageText('desc', false, USUAL),
);

export const PAGE_MESSAGES_BOUNDED = statement<PageParameters, PagedMessage>(
  'page_messages_bounded',
  pageText('desc', false, BOUNDED),
);

export const PAGE_MESSAGES_BEFORE = statement<[...PageParameters, cursor: string], PagedMessage>(
  'page_messages_before',
  pageText('desc', true, USUAL),
);

export const PAGE_MESSAGES_BEFORE_BOUNDED = statement<
  [...PageParameters, cursor: string],
  PagedMessage
>('page_messages_before_bounded', pageText('desc', true, BOUNDED));

export const PAGE_MESSAGES_FROM_START = statement<PageParameters, PagedMessage>(
  'page_messages_from_start',
  pageText('asc', false, BOUNDED),
);

export const PAGE_MESSAGES_AFTER = statement<[...PageParameters, cursor: string], PagedMessage>(
  'page_messages_after',
  pageText('asc', true, BOUNDED),
);

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

const IS_FROM = `coalesce(completed."timestamp" > $5::timestamptz, true)`;

/**
 * Returns the text of a query for the versions behind `since`, of those `completed` later only where `isOpen`.
 * `seen_at`: when a message was stored, or grew or was completed last. One merge of two index scans.
 */
export function visibleText(
  since: string,
  limit: string,
  isOpen = 'true',
  sessionId = '$1',
): string {
  return `
  select * from (
    (
      select stored.*, stored."timestamp" as seen_at
      from messages stored
      where stored.session_id = ${sessionId}
        and stored."timestamp" > ${since}::timestamptz
        and stored.completed_at is null
      order by stored."timestamp"
      limit ${limit}
    )
    union all
    (
      select completed.*, completed.completed_at
      from messages completed
      where completed.session_id = ${sessionId}
        and completed.completed_at > ${since}::timestamptz
        and ${isOpen}
      order by completed.completed_at
      limit ${limit}
    )
  ) visible
  order by seen_at
  limit ${limit}`;
}

function latestText(readerColumn: string, readerJoin: string, form: PageForm): string {
  return `
select
  head.last_at as "lastAt",
  message.seen_at as "seenAt",
  reset."position" as "resetPosition",
  ${readerColumn},
  ${form.columns}
from sessions session
${readerJoin}
join session_heads head on head.session_id = $1
cross join lateral (
  select
    -- Who begins where its history starts has read nothing yet.
    case when $3::timestamptz > ${historyStart('$5')} then
      coalesce(${resetPosition('$3')}, ${expiredPosition('$3')})
    end as "position"
  -- Without this PostgreSQL would look for the position once for each message.
  offset 0
) reset
left join lateral (${form.rows(visibleText('$3', '$4', IS_FROM), 'seen_at', '$4')}) message on true
where session.id = $1
  and session.deleted_at is null
order by message.seen_at`;
}

type LatestMessage = RawMessageRow &
  PageRow & {
    readonly lastAt: string;
    readonly seenAt: string;
    readonly resetPosition: string | null;
  };

type LatestParameters = [
  sessionId: string,
  userId: string,
  since: string,
  limit: number,
  from: string | null,
];

type LatestOfMember = LatestMessage & { readonly memberRole: ProjectRole };

const OF_MEMBER = [
  'membership.role as "memberRole"',
  'join memberships membership on membership.project_id = session.project_id and membership.user_id = $2',
] as const;

export const LATEST_MESSAGES = statement<LatestParameters, LatestOfMember>(
  'latest_messages',
  latestText(...OF_MEMBER, USUAL),
);

export const LATEST_MESSAGES_BOUNDED = statement<LatestParameters, LatestOfMember>(
  'latest_messages_bounded',
  latestText(...OF_MEMBER, BOUNDED),
);

const LATEST = { usual: LATEST_MESSAGES, bounded: LATEST_MESSAGES_BOUNDED };

/**
 * Returns up to `limit` messages and `PAGE_BYTES` that were stored or changed after `since` (ISO 8601, UTC, exactly
 * milliseconds), at least one, the oldest first; with `from` only messages after it. Undefined as `pageMessages`.
 */
export async function latestMessages(
  database: DatabaseAccess,
  after: {
    sessionId: string;
    userId: string;
    since: string;
    limit: number;
    from?: string | null;
  },
): Promise<LatestMessageRows | undefined> {
  const { sessionId, userId, limit, from = null } = after;
  const since = laterOf(after.since, from);
  const rows = await readPage(database, LATEST, [sessionId, userId, since, limit + 1, from]);
  const [first] = rows;
  return first && { memberRole: first.memberRole, ...latestOf(first, rows, since, limit) };
}

export const LATEST_MESSAGES_OF_READERS = statement<
  [
    sessionId: string,
    userIds: readonly string[],
    since: string,
    limit: number,
    from: string | null,
  ],
  LatestMessage & { readonly roles: Readonly<Record<string, ProjectRole>> }
>(
  'latest_messages_of_readers',
  latestText(
    'reader.roles',
    `
cross join lateral (
  select coalesce(json_object_agg(membership.user_id, membership.role), '{}') as roles
  from memberships membership
  where membership.project_id = session.project_id
    and membership.user_id = any ($2::uuid[])
) reader`,
    BOUNDED,
  ),
);

/** As `latestMessages`, for many readers of one session with one read: an entry by user id for each member. */
export async function latestMessagesOfReaders(
  database: DatabaseAccess,
  after: {
    sessionId: string;
    userIds: readonly string[];
    since: string;
    limit: number;
    from?: string | null;
  },
): Promise<ReadonlyMap<string, LatestMessageRows>> {
  const { sessionId, userIds, limit, from = null } = after;
  const since = laterOf(after.since, from);
  const parameters = [sessionId, userIds, since, limit + 1, from] as const;
  const rows = await LATEST_MESSAGES_OF_READERS.run(database, ...parameters);
  const [first] = rows;
  if (!first) return new Map();
  const latest = latestOf(first, rows, since, limit);
  const roles = Object.entries(first.roles);
  return new Map(roles.map(([userId, memberRole]) => [userId, { memberRole, ...latest }]));
}

function laterOf(since: string, from: string | null): string {
  return from !== null && from > since ? from : since;
}

/**
 * Returns up to `limit` messages and `PAGE_BYTES` behind `cursor`, at least one, the newest first (`desc`) or the
 * oldest (`asc`). With `from` (ISO 8601) the history begins after it. Undefined when the user is not a member or there is
 * no such session.
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

/** `first` is the first of `rows`, of which there is one more than `limit` when there are more messages. */
function latestOf(
  first: LatestMessage,
  rows: readonly LatestMessage[],
  since: string,
  limit: number,
): Omit<LatestMessageRows, 'memberRole'> {
  const lastAt = isoFromText(first.lastAt);
  if (first.resetPosition !== null) {
    const nextSince = isoFromText(first.resetPosition);
    return { messages: [], nextSince, hasMore: nextSince < lastAt, lastAt, isReset: true };
  }
  const read = rows.slice(0, limit);
  const last = read.at(-1);
  if (last && last.id !== null) {
    const messages = read.flatMap((row) =>
      row.id === null ? [] : { ...messageRow(row), seenAt: isoFromText(row.seenAt) },
    );
    const hasMore = rows.length > limit || last.isFull === true;
    return { messages, nextSince: isoFromText(last.seenAt), hasMore, lastAt, isReset: false };
  }
  // One snapshot, so no message lies between `lastAt` and now: a client whose clock is fast misses nothing later.
  const nextSince = lastAt < since ? lastAt : since;
  return { messages: [], nextSince, hasMore: false, lastAt, isReset: false };
}

export function messageRows(rows: readonly RawMessageRow[]): MessageRow[] {
  return rows.flatMap((row) => (row.id === null ? [] : messageRow(row)));
}

export function messageRow(row: StoredMessageRow): MessageRow {
  return {
    id: row.id,
    timestamp: isoFromText(row.at),
    createdAt: isoFromText(row.createdAt),
    role: row.role,
    status: row.status,
    content: row.content,
    metadata: row.metadata,
  };
}
