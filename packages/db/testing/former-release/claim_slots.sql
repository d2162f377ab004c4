/* claim_slots */ with replaceable_recorder as materialized (
  select array(
    select recorder.id from recorders recorder
    where recorder.draining or ($4 and recorder.heartbeat_at <= now() - interval '15 s')
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
    where 
    (candidate.recorder_id is null or candidate.recorder_id = any ((select ids from replaceable_recorder)::uuid[]))
    and candidate.next_attempt_at <= now() + interval '0.5 ms'
      -- One slot of a session: none when the recorder holds one already, else the lowest that can be claimed.
      and not exists (
        select from recording_assignments sibling
        where sibling.session_id = candidate.session_id
          and (
            sibling.recorder_id = $1
            or (sibling.slot < candidate.slot and 
    (sibling.recorder_id is null or sibling.recorder_id = any ((select ids from replaceable_recorder)::uuid[]))
    and sibling.next_attempt_at <= now() + interval '0.5 ms')
          )
      )
      -- Beyond its capacity a recorder claims only what no other recorder has room for.
      and (
        (select load from own) < $3
        or not exists (
          select from recorders other_with_capacity
          where other_with_capacity.id <> $1
            and not other_with_capacity.draining
            and other_with_capacity.heartbeat_at > now() - interval '15 s'
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
      where claimer.id = $1 and not claimer.draining and claimer.heartbeat_at > now() - interval '15 s'
    )
  returning slot.session_id, slot.slot, slot.epoch, chosen.former_recorder_id
), ended as (
  -- Together with the claim, so that the claimer never finds the dead recorder leading. END_DEAD_INTERVALS ends the
  -- intervals of sessions in which nothing is claimed.
  update recording_intervals open_interval set to_at = greatest(open_interval.from_at, least(dead.flushed_at, dead.standby_at)), end_reason = 'recorder_died'
  from claimed
  join recorders dead on dead.id = claimed.former_recorder_id and dead.heartbeat_at <= now() - interval '15 s'
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
join sessions session on session.id = claimed.session_id
