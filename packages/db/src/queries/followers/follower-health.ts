import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { IS_WAITING, MOST_FAILURES } from './follower-claims.ts';

/**
 * Counts a failure of the follower as a whole. From the fifth failure in a row on, it rests: for `firstMs`, then twice
 * as long each time, up to `longestMs`. Returns whether it has taken nothing for `horizonMs`.
 */
export const noteFollowerFailure = statement(
  'note_follower_failure',
  (
    id: string,
    { firstMs, longestMs, horizonMs }: { firstMs: number; longestMs: number; horizonMs: number },
  ) => [id, firstMs, longestMs, horizonMs],
  ([row]: { readonly isLong: boolean | null }[]) => row?.isLong === true,
)`
update followers
set failures = failures + 1, failing_since = coalesce(failing_since, now()),
  retry_at = case
    when failures >= ${MOST_FAILURES}
      then now() + least($2::int * 2 ^ least(failures - ${MOST_FAILURES}, 20), $3::int) * interval '1 ms'
  end
where id = $1
  and status = 'active'
  -- What was under way when it began to rest counts as one failure.
  and (retry_at is null or retry_at <= now())
returning old.failing_since <= now() - $4::int * interval '1 ms' as "isLong"`;

/** Notes that the follower has taken something. If it rested before, everything that waits in its sessions becomes due. */
export const noteFollowerSuccess = statement(
  'note_follower_success',
  (id: string) => [id],
  nothing,
)`
with recovered as (
  update followers set failures = 0, failing_since = null, retry_at = null
  where id = $1 and failures > 0
  returning id, old.failures > ${MOST_FAILURES} as has_rested
), locked as materialized (
  select followed.session_id
  from recovered
  join follower_positions followed on followed.follower_id = recovered.id
  where recovered.has_rested
    and followed.wanted > followed.position
    and followed.dead_at is null
    and ${IS_WAITING}
  -- In the order in which marks lock them.
  order by followed.session_id
  for no key update of followed
)
update follower_positions set next_attempt_at = now()
where follower_id = $1 and session_id = any (array(select locked.session_id from locked))`;
