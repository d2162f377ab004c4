import { isAlive, isLate } from './recorder-liveness.ts';

/** An ACTIVE session counts as unrecorded, or under-recorded, only once it is this old. */
export const UNRECORDED_AFTER = `interval '15 s'`;

export type RecordingStatus = 'recording' | 'reconnecting' | 'waiting' | 'lost';

/**
 * The status of `slot`, with its `recorder` or null. A dead recorder's slot counts as waiting, and the slot that a late
 * recorder records as reconnecting.
 */
export const SLOT_STATUS = `
      case
        when slot.status = 'lost' then 'lost'
        when recorder.id is null or slot.status = 'connecting' then 'waiting'
        when slot.status = 'recording' and ${isLate('recorder')} then 'reconnecting'
        else slot.status
      end`;

const SLOT_STATES = `(
    select
      slot.slot,
      slot.connected_at,
      slot.attempts,
      recorder.id as recorder_id,
      ${SLOT_STATUS} as status
    from recording_assignments slot
    left join recorders recorder on recorder.id = slot.recorder_id and ${isAlive('recorder')}
    where slot.session_id = session.id
  ) slot_state`;

/** Joins `recording (status, connected_at, recorder_id, attempts)`: the best slot of `session`. All null without slots. */
export const RECORDING_STATE = `
left join lateral (
  select
    slot_state.status,
    case when slot_state.status = 'recording' then slot_state.connected_at end as connected_at,
    slot_state.recorder_id,
    slot_state.attempts
  from ${SLOT_STATES}
  order by
    array_position(array['recording', 'reconnecting', 'waiting', 'lost'], slot_state.status),
    slot_state.slot
  limit 1
) recording on true`;

/**
 * Joins `recorded_by (recorder_ids, wanted)`: the recorders that record `session` now, in the order of slots, and the
 * required number.
 */
export const RECORDED_BY = `
cross join lateral (
  select
    coalesce(
      array_agg(slot_state.recorder_id order by slot_state.slot)
        filter (where slot_state.status = 'recording'),
      '{}'
    ) as recorder_ids,
    count(*) as wanted
  from ${SLOT_STATES}
) recorded_by`;
