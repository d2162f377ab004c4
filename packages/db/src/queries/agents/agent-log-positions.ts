import { statement } from '../../statement/statement.ts';
import { timeFromMicroseconds } from './agent-log-appends.ts';

export interface LogReader {
  readonly agentId: string;
  readonly userId: string;
}

export interface LogState extends LogReader {
  readonly nextLine: number;
  readonly isComplete: boolean;
}

/** Returns the number of the first line that `tailLog` with the same `count` returns; 0 while there is no line. */
export const findTailLine = statement(
  'find_tail_line',
  (agentId: string, count: number) => [agentId, count],
  numberOf,
)`
select greatest(min(first_line), max(first_line + line_count) - $2) as number
from agent_logs
where agent_id = $1`;

const NEXT_LINE = `(
  select chunk.first_line + chunk.line_count
  from agent_logs chunk
  where chunk.agent_id = agent.id
  order by chunk.first_line desc
  limit 1
)`;

export const findLineSince = statement(
  'find_line_since',
  (agentId: string, since: number) => [agentId, since],
  numberOf,
)`
select coalesce(
  (
    select chunk.first_line + (select count(*) from unnest(chunk.times) line_time where line_time <= $2)
    from agent_logs chunk
    where chunk.agent_id = agent.id
      and chunk.last_at > ${timeFromMicroseconds('$2')}
    order by chunk.first_line
    limit 1
  ),
  ${NEXT_LINE}
) as number
from (select $1::uuid as id) agent`;

export const lookAtLogs = statement(
  'look_at_logs',
  (readers: readonly LogReader[]) => {
    const agentIds = readers.map(({ agentId }) => agentId);
    const userIds = readers.map(({ userId }) => userId);
    return [agentIds, userIds];
  },
  (states: (Omit<LogState, 'nextLine'> & { readonly nextLine: string | null })[]) =>
    states.map((state) => ({ ...state, nextLine: Number(state.nextLine) })),
)`
select
  reader.agent_id as "agentId",
  reader.user_id as "userId",
  agent.status = 'Stopped' as "isComplete",
  ${NEXT_LINE} as "nextLine"
from unnest($1::uuid[], $2::uuid[]) reader (agent_id, user_id)
join agents agent on agent.id = reader.agent_id
join sessions session on session.id = agent.session_id and session.deleted_at is null
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = reader.user_id`;

function numberOf([found]: { number: string | null }[]): number {
  return Number(found?.number ?? 0);
}
