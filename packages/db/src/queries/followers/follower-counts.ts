import { type DatabaseAccess, statement } from '../../statement/statement.ts';

/**
 * - `waiting`: sessions in which something is still to be sent to a webhook, at most 1,000 of each webhook.
 * - `due`: those of them that any process may send now.
 * - `overdueSeconds`: for how long the first of those has been due.
 */
export interface FollowerCounts {
  readonly waiting: number;
  readonly due: number;
  readonly overdueSeconds: number;
}

export const COUNT_FOLLOWERS = statement<[], FollowerCounts>(
  'count_followers',
  `
select
  count(*)::int as waiting,
  count(*) filter (where is_due)::int as due,
  coalesce(extract(epoch from now() - min(next_attempt_at) filter (where is_due)), 0)::float8 as "overdueSeconds"
from (
  select followed.next_attempt_at, not follower.is_resting and followed.next_attempt_at <= now() as is_due
  from (
    select id, coalesce(retry_at > now(), false) as is_resting from followers where status = 'active'
  ) follower
  cross join lateral (
    select next_attempt_at from follower_positions
    where follower_id = follower.id and wanted > position and dead_at is null
    order by next_attempt_at
    limit 1000
  ) followed
) followed`,
);

/** Counts the sessions in which followers are behind. */
export async function countFollowers(database: DatabaseAccess): Promise<FollowerCounts> {
  const [row] = await COUNT_FOLLOWERS.run(database);
  if (!row) throw new Error('a count has one row');
  return row;
}
