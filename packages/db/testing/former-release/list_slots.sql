/* list_slots */ select
  slot.session_id as "sessionId",
  slot.slot as "slotNumber",
  slot.epoch,
  session.status as "sessionStatus",
  own_interval.id as "intervalId",
  leader.flushed_at as "leaderFlushedAt",
  leader.standby_at as "leaderStandbyAt"
from recording_assignments slot
join sessions session on session.id = slot.session_id
join recorders own on own.id = slot.recorder_id and own.epoch = $2
left join lateral (
  select open_interval.id, open_interval.opened_at
  from recording_intervals open_interval
  where open_interval.session_id = slot.session_id
    and open_interval.recorder_id = $1
    and open_interval.to_at is null
  order by open_interval.opened_at
  limit 1
) own_interval on true
-- The leader is the recorder whose interval was stored first, of the intervals that are open.
left join lateral (
  select recorder.flushed_at, recorder.standby_at
  from recording_intervals earlier
  join recorders recorder on recorder.id = earlier.recorder_id
  where earlier.session_id = slot.session_id
    and earlier.recorder_id <> $1
    and (earlier.opened_at, earlier.id) < (own_interval.opened_at, own_interval.id)
    and (
      earlier.to_at is null
      -- A live recorder that has left the room leads until all that it received there is stored.
      or (recorder.flushed_at < earlier.to_at and recorder.heartbeat_at > now() - interval '15 s')
    )
  order by earlier.opened_at, earlier.id
  limit 1
) leader on true
where slot.recorder_id = $1
