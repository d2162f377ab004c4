import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { accountOf } from '../accounts/account-usage.ts';
import { endAsDead, isAlive, isDead } from '../recorder-liveness.ts';
import type { SessionStatus } from '../sessions/sessions.ts';
import { claimWindow } from './claim-window.ts';
import {
  CLAIMED_COLUMNS,
  isChoice,
  isClaimable,
  isFree,
  isLeftByOthers,
  isReplaceable,
  OTHER_RECORDERS,
  OWN_RECORDER,
  replaceableRecorders,
} from './claimable-slots.ts';

/** How many times more slots a claim may take while there is no other recorder to share them. */
const MORE_WHILE_ALONE = 64;

// The next three functions return scalar queries, which read an index for each slot, never a whole table.

/**
 * Returns the condition that a recorder keeps another slot of the session. Uses `bool_or` instead of a filter, with
 * which PostgreSQL might read all held slots for each slot here.
 */
function hasRecorder(slot: string): string {
  return `coalesce((
    select bool_or(other_slot.recorder_id is not null and not ${isReplaceable('other_slot')})
    from recording_assignments other_slot
    where other_slot.session_id = ${slot}.session_id
  ), false)`;
}

function accountOfSlot(slot: string): string {
  const project = `(select session.project_id from sessions session where session.id = ${slot}.session_id)`;
  return accountOf(project);
}

function newestMessage(slot: string): string {
  return `(
    select head.last_at from session_heads head where head.session_id = ${slot}.session_id
  )`;
}

type ClaimParameters = [recorderId: string, limit: number, capacity: number, fromDead: boolean];

interface ClaimedSlot {
  readonly sessionId: string;
  readonly slotNumber: number;
  readonly epoch: string;
  readonly sessionStatus: SessionStatus;
}

export const CLAIM_SLOTS = statement(
  'claim_slots',
  (...parameters: ClaimParameters) => parameters,
  allRows<ClaimedSlot>,
)`
with ${replaceableRecorders('$4')}, ${OWN_RECORDER}, ${OTHER_RECORDERS}, room as materialized (
  select
    -- least() ignores null: no limit.
    greatest(0, least(
      case when exists (select from other_recorder) then $2 else $2 * ${MORE_WHILE_ALONE} end,
      case when own.load < $3 then $3 - own.load end,
      own.room_limit - own.load
    )) as to_claim,
    -- What all recorders together can still record; null when one of them has no limit.
    case
      when not exists (select from other_recorder where room_limit is null)
        then own.room_limit - own.load + (
          select coalesce(sum(greatest(room_limit - load, 0)), 0) from other_recorder
        )
    end as left_in_all
  from own
), shortage as materialized (
  select 1 from room
  -- In a case, so that slots are counted only where recorders have limits, and exactly only where these may be too low.
  where case
    when room.to_claim = 0 or room.left_in_all is null then false
    -- Two counts, which read indexes alone.
    when room.left_in_all >= (
      select count(*) from recording_assignments waiting where ${isFree('waiting')}
    ) + (
      select count(*) from recording_assignments waiting where ${isReplaceable('waiting')}
    ) then false
    else room.left_in_all < (
      select count(*) from recording_assignments waiting where ${isChoice('waiting')}
    )
  end
), contender as materialized (
  select distinct
    held.session_id,
    null::smallint as slot,
    false as has_recorder,
    null::timestamptz as newest,
    ${accountOfSlot('held')} as account_id
  from recording_assignments held
  where exists (select from shortage)
    and held.recorder_id is not null
    and not ${isReplaceable('held')}
  union all
  select
    waiting.session_id,
    waiting.slot,
    ${hasRecorder('waiting')},
    ${newestMessage('waiting')},
    ${accountOfSlot('waiting')}
  from recording_assignments waiting
  where exists (select from shortage)
    and ${isChoice('waiting')}
), ranked as materialized (
  -- How many recorded sessions the account would have with this one: the least comes first. What is recorded is ranked too,
  -- not joined: a plan from when there was little would compare each row with each.
  select session_id, slot, has_recorder, row_number() over (
    partition by account_id
    order by slot is not null, has_recorder, newest desc nulls last
  ) as position
  from contender
), fair as materialized (
  select session_id, slot, has_recorder, position from ranked where slot is not null
), ${claimWindow('(select to_claim from room)')}, candidate_session as materialized (
  select session_id from free_slot
  union
  select session_id from replaceable_slot
  union
  -- When rooms are short, the account decides, so all slots are compared.
  select fair.session_id from fair
), chosen as materialized (
  -- A subquery of the update might run once for each slot, and choose other slots each time.
  select candidate.session_id, candidate.slot, candidate.recorder_id as former_recorder_id
  from recording_assignments candidate
  left join fair on fair.session_id = candidate.session_id and fair.slot = candidate.slot
  -- Not a join, for which PostgreSQL might read the whole table.
  where candidate.session_id = any (array(select session_id from candidate_session))
    and ${isChoice('candidate')}
    -- When rooms are short, none goes to a second recorder while a session waits for its first.
    and (
      fair.has_recorder is not true
      or not exists (select from fair first_slot where not first_slot.has_recorder)
    )
    -- Beyond its capacity a recorder claims only what no other recorder has room for.
    and (
      (select load from own) < $3
      or ${isLeftByOthers('candidate')}
    )
  order by
    ${hasRecorder('candidate')},
    fair.position,
    ${newestMessage('candidate')} desc nulls last,
    candidate.next_attempt_at
  limit coalesce((select to_claim from room), 0)
  for update of candidate skip locked
), claimed as (
  update recording_assignments slot set ${CLAIMED_COLUMNS}
  from chosen
  where slot.session_id = chosen.session_id
    and slot.slot = chosen.slot
  returning slot.session_id, slot.slot, slot.epoch, chosen.former_recorder_id
), ended as (
  -- Together with the claim, so that the claimer never finds the dead recorder leading. END_DEAD_INTERVALS ends the
  -- intervals of sessions in which nothing is claimed.
  update recording_intervals open_interval set ${endAsDead('open_interval', 'dead')}
  from claimed
  join recorders dead on dead.id = claimed.former_recorder_id and ${isDead('dead')}
  where open_interval.session_id = claimed.session_id
    and open_interval.recorder_id = claimed.former_recorder_id
    and open_interval.to_at is null
)
select
  claimed.session_id as "sessionId",
  claimed.slot as "slotNumber",
  claimed.epoch,
  session.status as "sessionStatus"
from claimed
join sessions session on session.id = claimed.session_id`;

/**
 * Returns how many ACTIVE sessions no recorder can take, because all others are at their limit of rooms, draining or
 * dead. Call it only when `recorderId` is at its own limit, which the statement does not check. Begins the first gap of
 * sessions that were never recorded: one interval of no length, whichever recorders begin it. `fromDead` as for
 * `claimSlots`.
 */
export const markUnclaimableSessions = statement(
  'mark_unclaimable_sessions',
  (recorderId: string, fromDead: boolean) => [recorderId, fromDead],
  ([row]: { readonly count: number }[]) => row?.count ?? 0,
)`
with ${replaceableRecorders('$2')}, unclaimable as materialized (
  select distinct waiting.session_id
  from recording_assignments waiting
  where ${isClaimable('waiting')}
    and not ${hasRecorder('waiting')}
    and (
      select session.status from sessions session where session.id = waiting.session_id
    ) = 'ACTIVE'
    and not exists (
      select from recorders other_recorder
      where other_recorder.id <> $1
        and not other_recorder.draining
        and ${isAlive('other_recorder')}
        and (other_recorder.room_limit is null or other_recorder.load < other_recorder.room_limit)
    )
), marked as (
  insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
  select unclaimable.session_id, unclaimable.session_id, $1::uuid, now(), now(), 'not_started'
  from unclaimable
  where (
    select existing.id from recording_intervals existing
    where existing.session_id = unclaimable.session_id
    limit 1
  ) is null
  on conflict do nothing
)
select count(*)::int as count from unclaimable`;
