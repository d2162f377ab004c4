import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { IS_FULL, withinBytes } from '../messages/page-bytes.ts';
import {
  type LatestMessageRow,
  MESSAGE_COLUMNS,
  messageRow,
  type StoredMessageRow,
  visibleText,
} from '../messages/read-messages.ts';

const FOLLOW_BYTES = 128 * 1024;

type FollowRow = { readonly lastAt: string | null; readonly isFull: boolean | null } & (
  | { readonly id: null }
  | (StoredMessageRow & { readonly seenAt: string })
);

export const FOLLOW_SESSION = statement<
  [sessionId: string, position: string, limit: number],
  FollowRow
>(
  'follow_session',
  `
select
  head.last_at as "lastAt",
  message.seen_at as "seenAt",
  ${IS_FULL},
  ${MESSAGE_COLUMNS}
from (select (select last_at from session_heads where session_id = $1) as last_at) head
left join lateral (${withinBytes(visibleText('$2', '$3'), 'seen_at', FOLLOW_BYTES)}) message
  on head.last_at is not null
order by message.seen_at`,
);

export interface FollowedVersions {
  readonly versions: readonly LatestMessageRow[];
  /** The position behind them, and behind everything that is stored when there are no more. */
  readonly end: string;
}

/**
 * Returns up to `limit` versions of messages, and 128 KiB, that became visible after `position`, the oldest first. Returns undefined
 * when the session was deleted.
 */
export async function followSession(
  database: DatabaseAccess,
  { sessionId, position, limit }: { sessionId: string; position: string; limit: number },
): Promise<FollowedVersions | undefined> {
  const rows = await FOLLOW_SESSION.run(database, sessionId, position, limit);
  const [first] = rows;
  if (!first || first.lastAt === null) return undefined;
  const versions = rows.flatMap((row) =>
    row.id === null ? [] : { ...messageRow(row), seenAt: isoFromText(row.seenAt) },
  );
  const last = versions.at(-1);
  const isCut = versions.length === limit || rows.at(-1)?.isFull === true;
  // One snapshot: between the last version and `lastAt` is nothing.
  return { versions, end: isCut && last ? last.seenAt : isoFromText(first.lastAt) };
}
