import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export interface RememberedCall {
  readonly timestamp: string;
  /** As the agent reported it: see `ToolCallReport` of the contract. */
  readonly report: unknown;
}

/** A session may have thousands of events between two calls: no statement reads more of them. */
const SCANNED = 2000;

export const LIST_NEWEST_TOOL_CALLS = statement<
  [sessionId: string, limit: number, from: readonly string[]],
  { readonly at: string; readonly report: string | null }
>(
  'list_newest_tool_calls',
  `
select message."timestamp" as at, message.metadata -> 'payload' as report
from (
  select * from messages where session_id = $1 order by "timestamp" desc limit ${SCANNED}
) message
where message.kind = 'tool_call'
  and message.metadata #>> '{participant,identity}' = any ($3::text[])
order by message."timestamp" desc
limit $2`,
);

/**
 * Returns the newest `limit` tool calls of participants with the identities `from`, the newest first, among the
 * newest `SCANNED` messages.
 */
export async function listNewestToolCalls(
  database: DatabaseAccess,
  { sessionId, from, limit }: { sessionId: string; from: readonly string[]; limit: number },
): Promise<RememberedCall[]> {
  const rows = await LIST_NEWEST_TOOL_CALLS.run(database, sessionId, limit, from);
  return rows.map(({ at, report }) => ({
    timestamp: isoFromText(at),
    report: report === null ? null : JSON.parse(report),
  }));
}
