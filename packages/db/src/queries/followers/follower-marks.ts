import { statement } from '../../statement/statement.ts';
import { SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';

const IS_NEW = `
  head.last_at > follower.starts_at and (former.wanted is null or former.wanted < head.last_at)`;

const NEWEST_OF_FOLLOWERS = `
  -- Its row by its key: a plan that is made for any number of heads would read the whole table.
  cross join lateral (select project_id from sessions where id = head.session_id limit 1) session
  -- Two reads of an index: with "or", PostgreSQL would compare each session with all followers.
  cross join lateral (
    select id, kind, starts_at from followers where project_id = session.project_id and status = 'active'
    union all
    select id, kind, starts_at from followers where project_id is null and status = 'active'
  ) follower
  left join follower_positions former
    on former.follower_id = follower.id and former.session_id = head.session_id`;

// `wanted` only grows, so a process that is just finishing loses no mark. A session in which something new is stored is due
// from now on, even if it was due before. What became due last goes first in the search index, and at every other claim for
// a webhook, so that a new message does not wait for old ones. The search for missing messages only takes what has been due
// for the longest time, so there a session keeps its place in the queue. Otherwise, a session with new messages all the time
// would never be read.
export const MARK_CONFLICT = `
  on conflict (follower_id, session_id) do update set
    wanted = excluded.wanted,
    next_attempt_at = case
      when stored.follower_id = '${SEQUENCE_FOLLOWER_ID}' and stored.wanted > stored.position then stored.next_attempt_at
      else greatest(stored.next_attempt_at, now())
    end
  where stored.wanted < excluded.wanted`;

/**
 * Notes for the followers of these sessions that there may be something new. Returns the followers for which there is.
 * Writes nothing for a session whose followers are marked up to its end.
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
 * Like `markFollowers`, for `limit` sessions after `after`; with `movedWithinMs`, only for those in which something was stored
 * or happened within that time. Returns the last session (null: the end), and how many positions were marked.
 */
export const markFollowersFrom = statement(
  'mark_followers_from',
  (after: string, limit: number, movedWithinMs: number | null = null) => [
    after,
    limit,
    movedWithinMs,
  ],
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
  where ($3::int is null or head.last_at > now() - $3::int * interval '1 ms')
    and ${IS_NEW}
  order by follower.id, head.session_id
  ${MARK_CONFLICT}
  returning 1
)
select
  (select session_id from heads order by session_id desc limit 1) as last,
  (select count(*)::int from marked) as marked`;

export interface SessionPlace {
  readonly sessionId: string;
  readonly createdAt: string;
}

interface MarkedStep {
  readonly sessionId: string | null;
  readonly createdAt: string | null;
  readonly marked: number;
}

/** Like `markFollowersFrom`, for one follower of a project, in the next `limit` sessions of the project after `place`. */
export const markFollowerFrom = statement(
  'mark_follower_from',
  (followerId: string, place: SessionPlace, limit: number) => [
    followerId,
    place.createdAt,
    place.sessionId,
    limit,
  ],
  ([row]: MarkedStep[]): { readonly last: SessionPlace | null; readonly marked: number } => {
    const { sessionId = null, createdAt = null, marked = 0 } = row ?? {};
    const last = sessionId === null || createdAt === null ? null : { sessionId, createdAt };
    return { last, marked };
  },
)`
with session as materialized (
  select listed.id, listed.created_at
  from followers follower
  cross join lateral (
    select id, created_at from sessions
    where project_id = follower.project_id and (created_at, id) > ($2::timestamptz, $3::uuid)
    order by created_at, id
    limit $4
  ) listed
  where follower.id = $1
), marked as (
  insert into follower_positions as stored (follower_id, session_id, position, wanted)
  select follower.id, head.session_id, follower.starts_at, head.last_at
  from followers follower
  cross join session
  -- Each by its key, whatever the plan expects.
  cross join lateral (select session_id, last_at from session_heads where session_id = session.id limit 1) head
  left join lateral (
    select wanted from follower_positions where follower_id = follower.id and session_id = head.session_id limit 1
  ) former on true
  where follower.id = $1
    and follower.status = 'active'
    and ${IS_NEW}
  order by head.session_id
  ${MARK_CONFLICT}
  returning 1
)
select last.id as "sessionId", last.created_at as "createdAt", (select count(*)::int from marked) as marked
from (select) one
left join (select id, created_at from session order by created_at desc, id desc limit 1) last on true`;

export const listActiveFollowers = statement(
  'list_active_followers',
  () => [],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
select id from followers where status = 'active'`;
