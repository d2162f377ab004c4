export type RecordingStatus = 'recording' | 'reconnecting' | 'waiting' | 'lost';

/** A live recorder says so every half second: of one that has been silent for so long nobody knows that it records. */
export const SILENCE = `interval '2 s'`;

/**
 * Joins what the assignments of the session `s` amount to, as `a (status, connected_at, recorder_id, attempts)`: the best
 * of them. A slot whose recorder is dead waits for another, and one whose recorder fell silent is not called recorded; a
 * session without slots has none, and so nulls.
 */
export const RECORDING_STATE = `
left join lateral (
  select x.status, case when x.status = 'recording' then x.connected_at end as connected_at, x.recorder_id, x.attempts
  from (
    select o.slot, o.connected_at, o.attempts, r.id as recorder_id,
      case when o.status = 'lost' then 'lost' when r.id is null or o.status = 'connecting' then 'waiting'
        when o.status = 'recording' and r.heartbeat_at <= now() - ${SILENCE} then 'reconnecting' else o.status end as status
    from recording_assignments o
    left join recorders r on r.id = o.recorder_id and r.heartbeat_at > now() - interval '15 s'
    where o.session_id = s.id) x
  order by array_position(array['recording', 'reconnecting', 'waiting', 'lost'], x.status), x.slot limit 1) a on true`;
