import { statement } from '../../statement/statement.ts';
import { isVersionLeft } from '../erasures/erased-versions.ts';
import { type ClaimKey, IS_OURS } from './follower-claims.ts';
import { HOST } from './webhook-changes.ts';
import { auditDeadText, isGivenUp, tellDeadText } from './webhook-notices.ts';

export interface DeliveryAttempt {
  readonly seenAt: string;
  readonly id: string;
  readonly type: string;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly failure: string | null;
  readonly response: string;
}

/**
 * The last attempt of a version replaces the one before it. If a version was erased during the request, its answer is not
 * stored.
 */
const noted = (claim: string) => `
insert into webhook_deliveries as stored
  (webhook_id, session_id, seen_at, id, type, attempts, status_code, duration_ms, failure, response)
select $1::uuid, $2::uuid, $4::timestamptz, $5::uuid, $6, 1, $7::int, $8::int, $9,
  case when $6 = 'message.erased' or ${isVersionLeft('$2::uuid', '$4::timestamptz')} then $10::text else '' end
from ${claim}
on conflict (webhook_id, session_id, seen_at) do update
set attempts = stored.attempts + 1, status_code = excluded.status_code, duration_ms = excluded.duration_ms,
  failure = excluded.failure, response = excluded.response, last_at = now()`;

/**
 * Notes that the receiver took a version, and keeps the session for another `leaseMs`. Returns whether more may be
 * sent: the session was not deleted and the version `next` not erased meanwhile, and the webhook is active and
 * unchanged since `updatedAt`. Undefined when another process has claimed the session: then this process must stop.
 */
export const noteTaken = statement(
  'note_taken',
  (
    claim: ClaimKey,
    attempt: DeliveryAttempt,
    {
      leaseMs,
      updatedAt,
      isDeleted = false,
      next = null,
    }: { leaseMs: number; updatedAt: string; isDeleted?: boolean; next?: string | null },
  ) => [...parametersOf(claim, attempt), leaseMs, updatedAt, isDeleted, next],
  (rows: { readonly isUnchanged: boolean }[]) => rows[0]?.isUnchanged,
)`
with moved as (
  update follower_positions
  set position = greatest(position, $4::timestamptz), attempts = 0, failing_since = null, failure = null,
    next_attempt_at = now() + $11::int * interval '1 ms'
  ${IS_OURS}
  returning 1
), noted as (${noted('moved')})
select
  exists (
    select from followers follower
    join webhooks hook on hook.id = follower.id
    where follower.id = $1 and follower.status = 'active' and hook.updated_at = $12::timestamptz
  ) and ($13::boolean or exists (select from session_heads where session_id = $2))
    and ($14::timestamptz is null or ${isVersionLeft('$2::uuid', '$14::timestamptz')}) as "isUnchanged"
from moved`;

/**
 * Notes a failure, and postpones the session by `waitMs`. After `horizonMs` of failures, the session is given up; the
 * first time, the other webhooks get a notice. Returns whether it was given up; undefined when another process has
 * claimed the session.
 */
export const noteRefused = statement(
  'note_refused',
  (
    claim: ClaimKey,
    attempt: DeliveryAttempt,
    { waitMs, horizonMs }: { waitMs: number; horizonMs: number },
  ) => [...parametersOf(claim, attempt), waitMs, horizonMs],
  ([row]: { readonly isDead: boolean }[]) => row?.isDead,
)`
with project as materialized (
  -- Before the position, as the deletion of a project locks: when it is given up, that is noted in the audit trail.
  select from followers follower
  join projects locked on locked.id = follower.project_id
  where follower.id = $1
    and exists (
      select from follower_positions ${IS_OURS} and failing_since <= now() - $12::int * interval '1 ms'
    )
  for key share of locked
), failed as (
  update follower_positions
  set attempts = attempts + 1, failing_since = coalesce(failing_since, now()), failure = $9,
    next_attempt_at = now() + $11::int * interval '1 ms',
    dead_at = case when failing_since <= now() - $12::int * interval '1 ms' then now() end
  ${IS_OURS}
    and (select count(*) from project) >= 0
  returning follower_id, session_id, dead_at is not null as is_dead
), noted as (${noted('failed')}
), dead as (
  select hook.id, follower.project_id, ${HOST} as host, failed.session_id, $9::text as failure
  from failed
  join followers follower on follower.id = failed.follower_id
  join webhooks hook on hook.id = follower.id
  where failed.is_dead and $6 <> 'webhook.dead' and not ${isGivenUp('hook.id')}
), audited as (${auditDeadText('dead')}
), ${tellDeadText('dead')}
select is_dead as "isDead" from failed`;

function parametersOf(
  { followerId, sessionId, claim }: ClaimKey,
  { seenAt, id, type, statusCode, durationMs, failure, response }: DeliveryAttempt,
) {
  return [
    followerId,
    sessionId,
    claim,
    seenAt,
    id,
    type,
    statusCode,
    durationMs,
    failure,
    response,
  ] as const;
}
