import { type DatabaseAccess, statement } from '../../statement/statement.ts';

// The interval that the gap cut short ends where the gap begins, so the new interval belongs to the same recorder.
export const CLOSE_REFUSED_GAP = statement<[sessionId: string, from: string, to: string]>(
  'close_refused_gap',
  `
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
  )`,
);

/** Covers the gap from `from` to `to` (ISO 8601) of a refused message, which is stored now. Again changes nothing. */
export async function closeRefusedGap(
  database: DatabaseAccess,
  { sessionId, from, to }: { sessionId: string; from: string; to: string },
): Promise<void> {
  await CLOSE_REFUSED_GAP.run(database, sessionId, from, to);
}
