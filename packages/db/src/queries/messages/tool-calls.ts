import { statement } from '../../statement/statement.ts';

export interface RememberedCall {
  readonly timestamp: string;
  /** As the agent reported it: see `ToolCallReport` of the contract. */
  readonly report: unknown;
}

/** How many of the newest messages are searched. Between two matches, a session may have thousands of events. */
export const SCANNED = 2000;

/**
 * Returns the newest `limit` tool calls of participants with the identities `from`, the newest first, from the newest
 * `SCANNED` messages.
 */
export const listNewestToolCalls = statement(
  'list_newest_tool_calls',
  ({ sessionId, from, limit }: { sessionId: string; from: readonly string[]; limit: number }) => [
    sessionId,
    limit,
    from,
  ],
  (rows: { readonly timestamp: string; readonly report: string | null }[]): RememberedCall[] =>
    rows.map(({ timestamp, report }) => ({
      timestamp,
      report: report === null ? null : JSON.parse(report),
    })),
)`
select message."timestamp", message.metadata -> 'payload' as report
from (
  select * from messages where session_id = $1 order by "timestamp" desc limit ${SCANNED}
) message
where message.kind = 'tool_call'
  and message.metadata #>> '{participant,identity}' = any ($3::text[])
order by message."timestamp" desc
limit $2`;
