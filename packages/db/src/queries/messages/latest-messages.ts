import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { BOUNDED, type PageForm, type PageRow, readPage, USUAL } from './page-bytes.ts';
import { historyStart, type MessageRow, messageRow, type RawMessageRow } from './read-messages.ts';
import { expiredPosition, resetPosition } from './reset-position.ts';

export interface LatestMessageRow extends MessageRow {
  /**
   * When the message was stored, or last grew, was completed or was erased. With this time as `since`, a read returns the
   * messages behind it.
   */
  readonly seenAt: string;
}

/**
 * - `messages`: in the order in which they became visible, or last changed. Readers served by one read share one array.
 * - `nextSince`: with it, the next read misses nothing, and repeats only messages that grew, were completed or were erased.
 * - `hasMore`: there may be more beyond `limit` or `PAGE_BYTES`.
 * - `lastAt`: the time of the head. A reader that found no messages waits until the head moves.
 * - `isReset`: a restore lost what the reader may have read, or messages that it has not read were deleted. It must discard
 *   what it has, and read again from `nextSince`.
 */
export interface LatestMessageRows {
  readonly memberRole: ProjectRole;
  readonly messages: LatestMessageRow[];
  readonly nextSince: string;
  readonly hasMore: boolean;
  readonly lastAt: string;
  readonly isReset: boolean;
}

const IS_FROM = `coalesce(completed."timestamp" > $5::timestamptz, true)`;

/**
 * Returns the text of a query for the versions behind `since`. Rows that were completed later (`completed`) are included only
 * where the condition `isOpen` holds. `seen_at`: when a message was stored, or last grew, was completed or was erased. Merges
 * two index scans.
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
  message.completed_at as "seenAt",
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
    /** Null where it is the time of the message. */
    readonly seenAt: string | null;
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

export const LATEST_MESSAGES = statement(
  'latest_messages',
  (...parameters: LatestParameters) => parameters,
  allRows<LatestOfMember>,
)`${latestText(...OF_MEMBER, USUAL)}`;

export const LATEST_MESSAGES_BOUNDED = statement(
  'latest_messages_bounded',
  (...parameters: LatestParameters) => parameters,
  allRows<LatestOfMember>,
)`${latestText(...OF_MEMBER, BOUNDED)}`;

const LATEST = { usual: LATEST_MESSAGES, bounded: LATEST_MESSAGES_BOUNDED };

/**
 * Returns up to `limit` messages and `PAGE_BYTES` that were stored or changed after `since` (ISO 8601, UTC, exactly
 * milliseconds), at least one, the oldest first; with `from`, only messages after it. Undefined in the cases of
 * `pageMessages`.
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

export const LATEST_MESSAGES_OF_READERS = statement(
  'latest_messages_of_readers',
  (
    sessionId: string,
    userIds: readonly string[],
    since: string,
    limit: number,
    from: string | null,
  ) => [sessionId, userIds, since, limit, from],
  allRows<LatestMessage & { readonly roles: Readonly<Record<string, ProjectRole>> }>,
)`${latestText(
  'reader.roles',
  `
cross join lateral (
  select coalesce(json_object_agg(membership.user_id, membership.role), '{}') as roles
  from memberships membership
  where membership.project_id = session.project_id
    and membership.user_id = any ($2::uuid[])
) reader`,
  BOUNDED,
)}`;

/** Like `latestMessages`, for many readers of one session with one read. The entries are by user id, one for each member. */
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
  const rows = await LATEST_MESSAGES_OF_READERS(database, ...parameters);
  const [first] = rows;
  if (!first) return new Map();
  const latest = latestOf(first, rows, since, limit);
  const roles = Object.entries(first.roles);
  return new Map(roles.map(([userId, memberRole]) => [userId, { memberRole, ...latest }]));
}

function laterOf(since: string, from: string | null): string {
  return from !== null && from > since ? from : since;
}

function latestOf(
  first: LatestMessage,
  rows: readonly LatestMessage[],
  since: string,
  limit: number,
): Omit<LatestMessageRows, 'memberRole'> {
  const { lastAt } = first;
  if (first.resetPosition !== null) {
    const nextSince = first.resetPosition;
    return { messages: [], nextSince, hasMore: nextSince < lastAt, lastAt, isReset: true };
  }
  const read = rows.slice(0, limit);
  const last = read.at(-1);
  if (last && last.id !== null) {
    const messages = read.flatMap((row) =>
      row.id === null ? [] : { ...messageRow(row), seenAt: row.seenAt ?? row.at },
    );
    const hasMore = rows.length > limit || last.isFull === true;
    return { messages, nextSince: last.seenAt ?? last.at, hasMore, lastAt, isReset: false };
  }
  // One snapshot, so no message lies between `lastAt` and now. A client whose clock is fast thus misses nothing later.
  const nextSince = lastAt < since ? lastAt : since;
  return { messages: [], nextSince, hasMore: false, lastAt, isReset: false };
}
