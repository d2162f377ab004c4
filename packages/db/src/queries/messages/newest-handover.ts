import { statement } from '../../statement/statement.ts';
import { SCANNED } from './tool-calls.ts';

/**
 * Returns the newest step of a handover to a person that the participant `identity` reported, as `HandoverReport` of
 * the contract. Looks at the newest `SCANNED` messages; undefined if none of them is such a step.
 */
export const findNewestHandover = statement(
  'find_newest_handover',
  ({ sessionId, identity }: { sessionId: string; identity: string }) => [sessionId, identity],
  ([row]: { readonly report: string }[]): unknown => row && JSON.parse(row.report),
)`
select message.metadata -> 'payload' as report
from (
  select * from messages where session_id = $1 order by "timestamp" desc limit ${SCANNED}
) message
where message.kind = 'handover'
  and message.metadata #>> '{participant,identity}' = $2
  and message.metadata ? 'payload'
  -- The service carries out a handover to another agent.
  and message.metadata #> '{payload,to}' is null
order by message."timestamp" desc
limit 1`;
