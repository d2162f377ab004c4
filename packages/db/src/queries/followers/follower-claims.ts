import { allRows, hasRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { accountOf } from '../accounts/account-usage.ts';
import { isDue } from '../due-times.ts';

/** The migrations create the rows of both followers. */
export const SEARCH_FOLLOWER_ID = '5ea2c400-0000-4000-8000-000000000001';

export const SEQUENCE_FOLLOWER_ID = '5ea2c400-0000-4000-8000-000000000002';

export interface FollowerClaim {
  readonly followerId: string;
  readonly sessionId: string;
  readonly position: string;
  readonly claim: string;
  readonly attempts: number;
}

/**
 * Whether a session that is not due waits for its next attempt, and is not merely claimed. No claim lasts longer than a
 * minute. Uses the clock, because a claim may be younger than the transaction that asks. `now()` is for the index, which
 * cannot be searched by the clock.
 */
export const IS_WAITING = `next_attempt_at > now() + interval '1 min'
  and next_attempt_at > clock_timestamp() + interval '1 min'`;

/** After more failures in a row than this, a follower rests as a whole, and then tries one session. */
export const MOST_FAILURES = 4;

export type ClaimKey = Pick<FollowerClaim, 'followerId' | 'sessionId' | 'claim'>;

export const listDueWebhooks = statement(
  'list_due_webhooks',
  () => [],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
select follower.id
from followers follower
where follower.kind = 'webhook'
  and follower.status = 'active'
  and (follower.retry_at is null or follower.retry_at <= now())
  and exists (
    select from follower_positions followed
    where followed.follower_id = follower.id
      and followed.wanted > followed.position
      and followed.dead_at is null
      and ${isDue('followed')}
  )`;

/** Returns the accounts of the projects of these webhooks. A deleted project counts as its own account. */
export const listWebhookAccounts = statement(
  'list_webhook_accounts',
  (ids: readonly string[]) => [ids],
  allRows<{ readonly id: string; readonly account: string }>,
)`
select follower.id, coalesce(${accountOf('follower.project_id')}, follower.project_id) as account
from followers follower
where follower.id = any ($1::uuid[]) and follower.project_id is not null`;

/** A constant, because with a parameter as the limit the generic plan would read the whole table. */
const MOST_CLAIMS = 8;

type ClaimParameters = [followerIds: readonly string[], most: readonly string[], leaseMs: number];

function claimText(order: 'asc' | 'desc'): string {
  return `
with due as (
  select chosen.follower_id, chosen.session_id
  from unnest($1::uuid[], $2::bigint[]) as asked (id, most)
  join followers follower
    on follower.id = asked.id and follower.kind = 'webhook' and follower.status = 'active' and (follower.retry_at is null or follower.retry_at <= now())
  cross join lateral (
    select free.follower_id, free.session_id, row_number() over () as number
    from (
      select followed.follower_id, followed.session_id
      from follower_positions followed
      where followed.follower_id = follower.id
        and followed.wanted > followed.position
        and followed.dead_at is null
        and ${isDue('followed')}
      order by followed.next_attempt_at ${order}
      limit ${MOST_CLAIMS}
      for no key update of followed skip locked
    ) free
  ) chosen
  where chosen.number <= case when follower.failures > ${MOST_FAILURES} then least(1, asked.most) else asked.most end
)
update follower_positions stored
set claim = stored.claim + 1, next_attempt_at = now() + $3::int * interval '1 ms'
from due
where stored.follower_id = due.follower_id and stored.session_id = due.session_id
returning stored.follower_id as "followerId", stored.session_id as "sessionId", stored.position,
  stored.claim::text as claim, stored.attempts`;
}

export const CLAIM_FOLLOWERS = statement(
  'claim_followers',
  (...parameters: ClaimParameters) => parameters,
  allRows<FollowerClaim>,
)`${claimText('asc')}`;

export const CLAIM_FOLLOWERS_NEWEST = statement(
  'claim_followers_newest',
  (...parameters: ClaimParameters) => parameters,
  allRows<FollowerClaim>,
)`${claimText('desc')}`;

/**
 * Claims sessions in which followers are behind, for `leaseMs`: up to `most` and 8 of each follower, but only one after more
 * than four failures in a row. `first`: whether sessions that became due last (`newest`) or first (`oldest`) come first.
 */
export async function claimFollowers(
  database: DatabaseAccess,
  most: ReadonlyMap<string, number>,
  leaseMs: number,
  first: 'newest' | 'oldest' = 'oldest',
): Promise<FollowerClaim[]> {
  const counts = [...most.values()].map(String);
  const claim = first === 'oldest' ? CLAIM_FOLLOWERS : CLAIM_FOLLOWERS_NEWEST;
  return await claim(database, [...most.keys()], counts, leaseMs);
}

export const IS_OURS = 'where follower_id = $1 and session_id = $2 and claim = $3::bigint';

/**
 * Moves the position forward, and keeps the session for another `leaseMs`; 0 gives it back. Returns false when another
 * process has claimed the session meanwhile: then this process must stop.
 */
export const advanceFollower = statement(
  'advance_follower',
  ({ followerId, sessionId, claim }: ClaimKey, position: string, leaseMs: number) => [
    followerId,
    sessionId,
    claim,
    position,
    leaseMs,
  ],
  hasRows,
)`
update follower_positions
set position = greatest(position, $4::timestamptz),
  attempts = case when $4::timestamptz > position then 0 else attempts end,
  failing_since = case when $4::timestamptz > position then null else failing_since end,
  failure = case when $4::timestamptz > position then null else failure end,
  next_attempt_at = now() + $5::int * interval '1 ms'
${IS_OURS}
returning 1`;

/**
 * Deletes the position in a deleted session that was handled up to `end` (null: in any case). Returns false when a
 * notice came since, or another process has claimed the session.
 */
export const forgetSessionOfFollower = statement(
  'forget_session_of_follower',
  ({ followerId, sessionId, claim }: ClaimKey, end: string | null) => [
    followerId,
    sessionId,
    claim,
    end,
  ],
  hasRows,
)`
delete from follower_positions ${IS_OURS} and ($4::timestamptz is null or wanted <= $4::timestamptz)`;
