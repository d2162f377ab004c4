import { statement } from '../statement.ts';
import { endAsDead, isAlive, isDead } from './recorder-liveness.ts';
import type { SessionStatus } from './sessions.ts';

/**
 * The slot may be claimed now: it is free, or its recorder is draining or dead, and no failed attempt makes it wait. The
 * column rounds to milliseconds, so a slot that was created this very moment may stand half a millisecond in the future. A
 * recorder that its notification woke would find nothing, and look again only at its next round.
 */
function isClaimable(slot: string): string {
  return `
    (${slot}.recorder_id is null or ${slot}.recorder_id = any ((select ids from replaceable_recorder)::uuid[]))
    and ${slot}.next_attempt_at <= now() + interval '0.5 ms'`;
}

type ClaimParameters = [recorderId: string, limit: number, capacity: number, fromDead: boolean];

interface ClaimedSlot {
  readonly sessionId: string;
  readonly slotNumber: number;
  readonly epoch: string;
  readonly sessionStatus: SessionStatus;
}

/**
 * Claims slots for one recorder. `skip locked` lets many recorders claim at once without waiting for each other: each gets
 * other slots.
 */
export const CLAIM_SLOTS = statement<ClaimParameters, ClaimedSlot>(
  'claim_slots',
  `
with replaceable_recorder as materialized (
  select array(
    select recorder.id from recorders recorder
    where recorder.draining or ($4 and ${isDead('recorder')})
  ) as ids
), own as materialized (
  select count(*) as load from recording_assignments where recorder_id = $1
), claimed as (
  update recording_assignments slot set
    recorder_id = $1,
    epoch = slot.epoch + 1,
    status = 'connecting',
    connected_at = null,
    attempts = 0,
    failure = null
  from (
    select candidate.session_id, candidate.slot, candidate.recorder_id as former_recorder_id
    from recording_assignments candidate
    where ${isClaimable('candidate')}
      -- One slot of a session: none when the recorder holds one already, else the lowest that can be claimed.
      and not exists (
        select from recording_assignments sibling
        where sibling.session_id = candidate.session_id
          and (
            sibling.recorder_id = $1
            or (sibling.slot < candidate.slot and ${isClaimable('sibling')})
          )
      )
      -- Beyond its capacity a recorder claims only what no other recorder has room for.
      and (
        (select load from own) < $3
        or not exists (
          select from recorders other_with_capacity
          where other_with_capacity.id <> $1
            and not other_with_capacity.draining
            and ${isAlive('other_with_capacity')}
            and other_with_capacity.load < other_with_capacity.capacity
            and not exists (
              select from recording_assignments held
              where held.session_id = candidate.session_id
                and held.recorder_id = other_with_capacity.id
            )
        )
      )
    order by candidate.next_attempt_at
    limit (select case when load < $3 then least($2, $3 - load) else $2 end from own)
    for update of candidate skip locked
  ) chosen
  where slot.session_id = chosen.session_id
    and slot.slot = chosen.slot
    -- A recorder that the others take for dead must not claim what they would claim back at once.
    and exists (
      select from recorders claimer
      where claimer.id = $1 and not claimer.draining and ${isAlive('claimer')}
    )
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
join sessions session on session.id = claimed.session_id`,
);
