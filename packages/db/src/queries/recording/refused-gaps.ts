import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

/**
 * Covers the gap from `from` to `to` (ISO 8601) of a refused message, which is stored now. A repetition changes nothing. The
 * interval that the gap cut short ends where the gap begins, so the new interval belongs to the same recorder.
 */
export const closeRefusedGap = statement(
  'close_refused_gap',
  ({ sessionId, from, to }: { sessionId: string; from: string; to: string }) => [
    sessionId,
    from,
    to,
  ],
  nothing,
)`
insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
select distinct on (part.recorder_id)
  part.session_id,
  gen_random_uuid(),
  part.recorder_id,
  $2::timestamptz,
  $3::timestamptz,
  part.end_reason
from recording_intervals part
where part.session_id = $1
  and part.to_at = $2::timestamptz
  and part.end_reason = 'refused'
  and not exists (
    select from recording_intervals other
    where other.session_id = part.session_id
      and other.recorder_id = part.recorder_id
      and other.from_at = $2::timestamptz
      and other.to_at = $3::timestamptz
  )`;
