import type { FollowerKind } from '../../schema/followers.ts';
import { onlyRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { SEARCH_FOLLOWER_ID, SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';

/**
 * - `waiting`: sessions in which the followers are behind, at most 1,000 of each follower.
 * - `due`: how many of them any process may claim now.
 * - `overdueSeconds`: how long the first of those has been due. In the search index, a session of the backlog counts
 *   from the time of its newest message.
 */
export interface FollowerCounts {
  readonly waiting: number;
  readonly due: number;
  readonly overdueSeconds: number;
}

function countText(condition: string): string {
  return `
select
  count(*)::int as waiting,
  count(*) filter (where is_due)::int as due,
  coalesce(extract(epoch from now() - min(next_attempt_at) filter (where is_due)), 0)::float8 as "overdueSeconds"
from (
  select followed.next_attempt_at, not follower.is_resting and followed.next_attempt_at <= now() as is_due
  from (
    select id, kind = 'webhook' and coalesce(retry_at > now(), false) as is_resting
    from followers
    where status = 'active' and ${condition}
  ) follower
  cross join lateral (
    select next_attempt_at from follower_positions
    where follower_id = follower.id and wanted > position and dead_at is null
    order by next_attempt_at
    limit 1000
  ) followed
) followed`;
}

export const COUNT_WEBHOOK_SESSIONS = statement(
  'count_webhook_sessions',
  () => [],
  onlyRow<FollowerCounts>,
)`${countText(`kind = 'webhook'`)}`;

export const COUNT_SEARCH_SESSIONS = statement(
  'count_search_sessions',
  () => [],
  onlyRow<FollowerCounts>,
)`${countText(`id = '${SEARCH_FOLLOWER_ID}'`)}`;

export const COUNT_SEQUENCE_SESSIONS = statement(
  'count_sequence_sessions',
  () => [],
  onlyRow<FollowerCounts>,
)`${countText(`id = '${SEQUENCE_FOLLOWER_ID}'`)}`;

const COUNTS = {
  webhook: COUNT_WEBHOOK_SESSIONS,
  search: COUNT_SEARCH_SESSIONS,
  sequence: COUNT_SEQUENCE_SESSIONS,
} as const;

export async function countFollowers(
  database: DatabaseAccess,
  kind: FollowerKind,
): Promise<FollowerCounts> {
  return await COUNTS[kind](database);
}
