import { type DatabaseAccess, statement } from '../../statement/statement.ts';

const SCANNED = 10_000;
const RETURNED = 100;

export const LIST_PRESENT_IDENTITIES = statement<
  [sessionId: string],
  { readonly identity: string }
>(
  'list_present_identities',
  `
with recent as materialized (
  select message."timestamp" as at, message.kind, message.metadata
  from messages message
  where message.session_id = $1
  order by message."timestamp" desc
  limit ${SCANNED}
)
select entered.metadata #>> '{participant,identity}' as identity
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
limit ${RETURNED}`,
);

/** Returns up to 100 identities with a join and no leave of that stay, the newest first, among 10,000 messages. */
export async function listPresentIdentities(
  database: DatabaseAccess,
  sessionId: string,
): Promise<string[]> {
  const rows = await LIST_PRESENT_IDENTITIES.run(database, sessionId);
  return rows.map(({ identity }) => identity);
}
