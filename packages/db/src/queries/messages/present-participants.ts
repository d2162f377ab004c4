import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

const SCANNED = 10_000;
const RETURNED = 100;

/**
 * Returns the identities of up to 100 stays with a join but no leave, and the server's ids of these stays, the newest first,
 * from the newest 10,000 messages.
 */
export const listPresentIdentities = statement(
  'list_present_identities',
  (sessionId: string) => [sessionId],
  allRows<{ readonly identity: string; readonly sid: string | null }>,
)`
with recent as materialized (
  select message."timestamp" as at, message.kind, message.metadata
  from messages message
  where message.session_id = $1
  order by message."timestamp" desc
  limit ${SCANNED}
)
select entered.metadata #>> '{participant,identity}' as identity, entered.metadata ->> 'rawId' as sid
from recent entered
where entered.kind = 'participant_joined'
  and entered.metadata #>> '{participant,identity}' is not null
  and not exists (
    select from recent departed
    where departed.kind = 'participant_left'
      -- The raw id of both is the server's id of the stay.
      and departed.metadata ->> 'rawId' = entered.metadata ->> 'rawId'
  )
order by entered.at desc
limit ${RETURNED}`;
