import { roleText } from '../../columns/agent-role.ts';
import type { AgentStatus } from '../../schema/agents.ts';
import { hasRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';
import { eventText, nextTime } from '../sessions/session-events.ts';
import { NOW_MS } from './agent-restarts.ts';
import { BAR_TIME } from './stopped-agents.ts';

/**
 * Requests that an agent stops, for `reason` unless it has one already, and wakes the reconciler. Returns false when the
 * agent has stopped, or was asked before. Without `by`, the service requests it.
 */
export const requestAgentStop = statement(
  'request_agent_stop',
  (id: string, reason: string, by?: string) => [id, reason, by ?? null],
  hasRows,
)`
with asked as (
  update agents set
    desired = 'stopped',
    reason = coalesce(reason, $2)
  where id = $1
    and desired = 'running'
    and status <> 'Stopped'
  returning id, session_id, ${roleText('agents')} as role, reason
), audited as (${auditText('agent.stopped', {
  project: 'session.project_id',
  actor: '$3',
  target: 'asked.id',
  detail: `jsonb_build_object('role', role, 'sessionId', session_id, 'reason', reason)`,
  from: 'asked join sessions session on session.id = asked.session_id',
})}
)
select pg_notify('agent_changed', id::text) from asked`;

/**
 * Stores that the agent's workload was created. Only the first call for a workload counts. A call changes nothing if `restarts`
 * is not the agent's, because the agent was restarted since.
 */
export const markAgentStarted = statement(
  'mark_agent_started',
  (id: string, restarts?: number) => [id, restarts ?? 0],
  nothing,
)`
update agents set
  started_at = coalesce(started_at, now()),
  restart_at = null,
  ends =
    case
      when restart_at is null then ends
      else jsonb_set(ends, '{-1,restartedAt}', to_jsonb(${NOW_MS}))
    end
where id = $1
  and restarts = $2
  and (started_at is null or restart_at is not null)`;

/**
 * Stores an agent's status; a null keeps what is stored. Returns false, and changes nothing, for a step back from Stopped, or
 * from Running to Starting. The same applies if `restarts` is given and is not the agent's, because the status is then that of
 * an earlier workload. The secret values of a Stopped agent are deleted. Locks the head before the agent, as a close does: the
 * lock is taken before `changed` looks for the row.
 */
export const updateAgentState = statement(
  'update_agent_state',
  (
    id: string,
    {
      status,
      reason,
      detail,
      exitCode,
      restarts,
    }: {
      status: AgentStatus;
      reason: string | null;
      detail: string | null;
      exitCode: number | null;
      restarts?: number;
    },
  ) => [id, status, reason, detail, exitCode, restarts ?? null],
  hasRows,
)`
with head as materialized (
  select head.session_id
  from agents agent
  join session_heads head on head.session_id = agent.session_id
  where agent.id = $1
  for no key update of head
), changed as (
  update agents set
    status = $2,
    reason = coalesce($3, reason),
    detail = coalesce($4, detail),
    exit_code = coalesce($5, exit_code),
    running_at = case when $2 = 'Running' then coalesce(running_at, now()) else running_at end,
    ends =
      case
        when $2 = 'Running' and status = 'Starting' and ends <> '[]'
          then jsonb_set(ends, '{-1,joinedAt}', to_jsonb(${NOW_MS}))
        else ends
      end,
    stopped_at = case when $2 = 'Stopped' then now() end,
    barred_until =
      case
        when $2 = 'Stopped' then greatest(barred_until, now() + ${BAR_TIME})
        else barred_until
      end,
    desired = case when $2 = 'Stopped' then 'stopped' else desired end
  where id = $1
    and status <> 'Stopped'
    and not (status = 'Running' and $2 = 'Starting')
    and ($6::int is null or restarts = $6)
    and (select count(*) from head) >= 0
  returning id, session_id, ${roleText('agents')} as role, status, reason, exit_code, status <> old.status as is_other
), moved as (
  -- A deleted session has no head, and no more events.
  update session_heads head set last_at = ${nextTime('head')}
  from changed
  where head.session_id = changed.session_id and changed.is_other and changed.status <> 'Starting'
  returning head.session_id, head.last_at
), noted as (${eventText(
  `case changed.status when 'Running' then 'agent.running' else 'agent.stopped' end`,
  {
    session: 'moved.session_id',
    at: 'moved.last_at',
    project: 'session.project_id',
    data: `jsonb_build_object('agentId', changed.id, 'role', changed.role) || case changed.status
      when 'Stopped' then jsonb_build_object('reason', changed.reason, 'exitCode', changed.exit_code)
      else '{}'
    end`,
    from: `moved
  join changed on changed.session_id = moved.session_id
  join sessions session on session.id = moved.session_id`,
  },
)}
), deleted as (
  delete from agent_secrets
  using changed
  where $2 = 'Stopped'
    and agent_secrets.agent_id = changed.id
)
select (select pg_notify('messages_stored', session_id::text) from noted) from changed`;
