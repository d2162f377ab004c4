import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type LatestMessageRow, visibleText } from '../messages/latest-messages.ts';
import { IS_FULL, MESSAGE_COLUMNS, withinBytes } from '../messages/page-bytes.ts';
import { messageRow, type StoredMessageRow } from '../messages/read-messages.ts';
import { eventsText, type SessionEventRow } from '../sessions/session-events.ts';
import type { SessionRow } from '../sessions/sessions.ts';

const FOLLOW_BYTES = 128 * 1024;

export type FollowedVersion = LatestMessageRow | SessionEventRow;

interface Followed {
  readonly lastAt: string | null;
  readonly isDeleted: boolean;
  readonly isFull: boolean | null;
  readonly session: string | null;
}

type FollowRow = Followed &
  (
    | { readonly seenAt: null }
    | (StoredMessageRow & { readonly seenAt: string; readonly type: null })
    | { readonly seenAt: string; readonly type: string; readonly metadata: string }
  );

const COLUMNS = 'id, "timestamp", created_at, role, status, content, metadata, seen_at';

/** A deleted session keeps its messages for a while, and shows only its events. */
const VERSIONS = `
  select * from (
    (
      select ${COLUMNS}, null as type
      from (${visibleText('$2', '$3')}) visible
      where head.head_at is not null
    )
    union all
    select null::uuid, event.seen_at, event.seen_at, null, null, '', event.data, event.seen_at, event.type
    from (${eventsText('$2', '$3')}) event
  ) version
  order by seen_at
  limit $3`;

export const FOLLOW_SESSION = statement(
  'follow_session',
  (sessionId: string, position: string, limit: number) => [sessionId, position, limit],
  allRows<FollowRow>,
)`
select
  greatest(head.head_at, head.event_at) as "lastAt",
  head.head_at is null as "isDeleted",
  message.seen_at as "seenAt",
  message.type,
  case when row_number() over (order by message.seen_at) = 1 then head.session end as session,
  ${IS_FULL},
  ${MESSAGE_COLUMNS}
from (
  select
    (select last_at from session_heads where session_id = $1) as head_at,
    (select max(seen_at) from session_events where session_id = $1) as event_at,
    (
      select json_build_object(
        'externalId', external_id,
        'metadata', case when deleted_at is null then metadata end
      )::text
      from sessions where id = $1
    ) as session
) head
left join lateral (${withinBytes(VERSIONS, 'seen_at', FOLLOW_BYTES)}) message on true
order by message.seen_at`;

export interface FollowedSession {
  readonly externalId: string | null;
  readonly metadata: SessionRow['metadata'] | null;
}

export interface FollowedVersions {
  /** Null once the row of a deleted session is gone, and for notices. */
  readonly session: FollowedSession | null;
  readonly versions: readonly FollowedVersion[];
  /** Where to continue: behind the last of these versions, or behind everything stored so far if `hasMore` is false. */
  readonly end: string;
  readonly isDeleted: boolean;
  readonly hasMore: boolean;
}

/**
 * Returns up to `limit` versions, and 128 KiB, that became visible after `position`, the oldest first; undefined when
 * the session is gone, and the event of its deletion too.
 */
export async function followSession(
  database: DatabaseAccess,
  { sessionId, position, limit }: { sessionId: string; position: string; limit: number },
): Promise<FollowedVersions | undefined> {
  const rows = await FOLLOW_SESSION(database, sessionId, position, limit);
  const [first] = rows;
  if (!first || first.lastAt === null) return undefined;
  const versions = rows.flatMap(versionsOf);
  const last = versions.at(-1);
  const hasMore = versions.length === limit || rows.at(-1)?.isFull === true;
  // One snapshot, so nothing lies between the last version and `lastAt`.
  const end = hasMore && last ? last.seenAt : first.lastAt;
  const session: FollowedSession | null = JSON.parse(first.session ?? 'null');
  return { session, versions, end, isDeleted: first.isDeleted, hasMore };
}

function versionsOf(row: FollowRow): FollowedVersion[] {
  if (row.seenAt === null) return [];
  const { seenAt } = row;
  if (row.type === null) return [{ ...messageRow(row), seenAt }];
  return [{ seenAt, type: row.type, data: row.metadata }];
}
