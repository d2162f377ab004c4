/* start_recorder */ with predecessor as (
  select flushed_at, standby_at from recorders where id = $1
), ended as (
  update recording_intervals open_interval set to_at = greatest(open_interval.from_at, least(predecessor.flushed_at, predecessor.standby_at)), end_reason = 'recorder_died'
  from predecessor
  where open_interval.recorder_id = $1
    and open_interval.to_at is null
  returning 1
), started as (
  insert into recorders as former (id, capacity) values ($1, $2)
  on conflict (id) do update set
    epoch = former.epoch + 1,
    capacity = excluded.capacity,
    load = 0,
    draining = false,
    started_at = now(),
    heartbeat_at = now(),
    flushed_at = now(),
    standby_at = null
  returning former.epoch
), held as (
  update recording_assignments slot set
    status = 'connecting',
    epoch = slot.epoch + 1,
    connected_at = null,
    attempts = 0,
    failure = null
  where slot.recorder_id = $1
  returning slot.session_id, slot.slot, slot.epoch
)
select
  started.epoch as "recorderEpoch",
  held.session_id as "sessionId",
  held.slot as "slotNumber",
  held.epoch as "slotEpoch",
  (select count(*) from ended)::int as "endedIntervals"
from started
left join held on true
