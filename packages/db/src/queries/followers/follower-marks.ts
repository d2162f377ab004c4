import { statement } from '../../statement/statement.ts';
import { SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';

const IS_NEW = `
  head.last_at > follower.starts_at and (former.wanted is null or former.wanted < head.last_at)`;

const NEWEST_OF_FOLLOWERS = `
  -- Its row by its key: a plan that is made for any number of heads would read the whole table.
  cross join lateral (select project_id from sessions where id = head.session_id limit 1) session
  join followers follower
    on (follower.project_id = session.project_id or follower.project_id is null) and follower.status = 'active'
  left join follower_positions former
    on former.follower_id = follower.id and former.session_id = head.session_id`;

// `wanted` only grows, so no mark is lost beside a process that is just finishing. A session in which something new is stored is due from now
// on, even if it was due before: what became due last goes first in the search index, and at every other claim for a webhook, so that
// a new message does not wait for old ones. The search for missing messages only takes what has been due for longest, so there a
// session keeps its place in the queue. Otherwise, a session with new messages all the time would never be read.
export const MARK_CONFLICT = `
  on conflict (follower_id, session_id) do update set
    wanted = excluded.wanted,
    next_attempt_at = case
      when stored.follower_id = '${SEQUENCE_FOLLOWER_ID}' and stored.wanted > stored.position then stored.next_attempt_at
      else greatest(stored.next_attempt_at, now())
    end
  where stored.wanted < excluded.wanted`;

/**
 * Notes for the followers of these sessions that there may be something new. Returns the followers for which there is. Writes
 * nothing for a session whose followers know of everything that is stored.
 */
export const markFollowers = statement(
  'mark_followers',
  (sessionIds: readonly string[]) => [sessionIds],
  (rows: { readonly followerId: string }[]) => new Set(rows.map(({ followerId }) => followerId)),
)`
insert into follower_positions as stored (follower_id, session_id, position, wanted)
select follower.id, head.session_id, follower.starts_at, head.last_at
from session_heads head
${NEWEST_OF_FOLLOWERS}
where head.session_id = any ($1::uuid[])
  and ${IS_NEW}
-- All processes mark in one order.
order by follower.id, head.session_id
${MARK_CONFLICT}
returning stored.follower_id as "followerId"`;

/**
 * Like `markFollowers`, for `limit` sessions after `after`. Returns the last one (null: the end), and how many were behind.
 */
export const markFollowersFrom = statement(
  'mark_followers_from',
  (after: string, limit: number) => [after, limit],
  ([row]: { readonly last: string | null; readonly marked: number }[]) =>
    row ?? { last: null, marked: 0 },
)`
with heads as materialized (
  select session_id, last_at from session_heads where session_id > $1 order by session_id limit $2
), marked as (
  insert into follower_positions as stored (follower_id, session_id, position, wanted, next_attempt_at)
  select follower.id, head.session_id, follower.starts_at, head.last_at,
    case when follower.kind = 'search' then least(head.last_at, now()) else now() end
  from heads head
  ${NEWEST_OF_FOLLOWERS}
  where ${IS_NEW}
  order by follower.id, head.session_id
  ${MARK_CONFLICT}
  returning 1
)
select
  (select session_id from heads order by session_id desc limit 1) as last,
  (select count(*)::int from marked) as marked`;
