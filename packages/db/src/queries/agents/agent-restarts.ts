import { hasRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

/**
 * An end after which an agent was restarted, as the column `ends` holds it. Times are milliseconds since 1970.
 *
 * - `lastAt`: the session's last timestamp when the end was stored. Messages that are stored later have later
 *   timestamps, even those received before the end. Absent for external agents, and in ends that the former release
 *   stored.
 * - `nextLine`: the number of the first log line that may be of a later workload. Absent when `lastAt` is absent.
 */
export interface StoredEnd {
  readonly reason: string;
  readonly endedAt: number;
  readonly lastAt?: number;
  readonly nextLine?: number;
  readonly restartedAt?: number;
  readonly joinedAt?: number;
}

export interface AgentEnd {
  readonly reason: string;
  readonly delayMs: number;
  readonly restarts: number;
}

export const KEPT_ENDS = 20;

export const NOW_MS = '(extract(epoch from now()::timestamptz(3)) * 1000)::bigint';

/** Needs no lock: a message that is being stored gets a later timestamp than the one that is read. */
const LAST_MS = `(
      select (extract(epoch from head.last_at) * 1000)::bigint from session_heads head
      where head.session_id = agent.session_id
    )`;

const NEXT_LINE = `coalesce((
      select log.first_line + log.line_count from agent_logs log
      where log.agent_id = agent.id
      order by log.first_line desc
      limit 1
    ), 0)`;

/**
 * Makes an agent whose workload ended wait as Starting for `delayMs` before its next workload, and wakes the reconciler.
 * Returns false when the agent has to stop, its session has ended, or another process was faster.
 */
export const restartAgent = statement(
  'restart_agent',
  (id: string, { reason, delayMs, restarts }: AgentEnd) => [id, reason, delayMs, restarts],
  hasRows,
)`
update agents agent set
  status = 'Starting',
  restarts = agent.restarts + 1,
  restart_at = now() + $3::int * interval '1 millisecond',
  ends =
    case
      when jsonb_array_length(agent.ends) >= ${KEPT_ENDS} then agent.ends - 0
      else agent.ends
    end || jsonb_build_object(
      'reason', $2::text, 'endedAt', ${NOW_MS}, 'lastAt', ${LAST_MS}, 'nextLine', ${NEXT_LINE}
    )
where agent.id = $1
  and agent.restarts = $4
  and agent.status <> 'Stopped'
  and agent.desired = 'running'
  and exists (
    select from sessions session
    where session.id = agent.session_id
      and session.status = 'ACTIVE'
      and session.deleted_at is null
  )
returning pg_notify('agent_changed', agent.id::text)`;
