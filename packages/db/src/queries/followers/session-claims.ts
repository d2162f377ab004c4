import { isDue } from '../due-times.ts';

export interface SessionClaim {
  readonly sessionId: string;
  readonly position: string;
  readonly claim: string;
}

export const MOST_SESSION_CLAIMS = 100;

export function claimText(followerId: string, order: 'asc' | 'desc'): string {
  return `
with due as (
  select session_id
  from follower_positions
  where follower_id = '${followerId}'
    and wanted > position
    and dead_at is null
    and ${isDue('follower_positions')}
  order by next_attempt_at ${order}
  limit ${MOST_SESSION_CLAIMS}
  for no key update skip locked
)
update follower_positions stored
set claim = stored.claim + 1, next_attempt_at = now() + $1::int * interval '1 ms'
from due
where stored.follower_id = '${followerId}' and stored.session_id = due.session_id
returning stored.session_id as "sessionId", stored.position, stored.claim::text as claim`;
}

export const CLAIMED = `claimed as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::bigint[]) as claimed (session_id, position, claim)
)`;

export type ClaimedParameters = [
  sessionIds: readonly string[],
  positions: readonly string[],
  claims: readonly string[],
];

export function claimedParameters(claims: readonly SessionClaim[]): ClaimedParameters {
  return [
    claims.map(({ sessionId }) => sessionId),
    claims.map(({ position }) => position),
    claims.map(({ claim }) => claim),
  ];
}

/**
 * Returns the text for the claimed sessions that this process still holds, so that a process that was frozen writes nothing.
 * The sessions are locked once all rows of `source` are known.
 */
export function ownSessions(followerId: string, source: string): string {
  return `own as materialized (
  select followed.session_id
  from (select session_id, claim from claimed order by session_id) claimed
  cross join lateral (
    select session_id
    from follower_positions
    where follower_id = '${followerId}' and session_id = claimed.session_id and claim = claimed.claim
    limit 1
    for no key update
  ) followed
  where (select count(*) from ${source}) >= 0
)`;
}

export function movedSessions(followerId: string): string {
  return `moved as (
  update follower_positions stored
  set position = greatest(stored.position, reached.position), attempts = 0, failing_since = null, failure = null,
    next_attempt_at = now()
  from reached
  join own on own.session_id = reached.session_id
  where stored.follower_id = '${followerId}' and stored.session_id = reached.session_id
  returning 1
), forgotten as (
  delete from follower_positions stored
  using own
  where stored.follower_id = '${followerId}'
    and stored.session_id = own.session_id
    and not exists (select from head where head.session_id = own.session_id)
)`;
}
