import type { AgentStatus } from '../schema/agents.ts';
import { type DatabaseAccess, statement } from '../statement.ts';

export interface AgentChangeQueries {
  /**
   * Asks for an agent's end, for `reason` unless it has a reason already, and wakes the reconciler. Returns false when the
   * agent was asked before, or has stopped.
   */
  requestAgentStop(id: string, reason: string): Promise<boolean>;
  /** Stores that the agent's workload was made; only the first call counts. */
  markAgentStarted(id: string): Promise<void>;
  /**
   * Stores an agent's status; a null leaves what is stored. The status only moves forward: a Stopped agent stays as it is,
   * and a Running agent never becomes Starting. Then nothing changes, and the result is false. An agent that becomes Stopped
   * loses the stored values with which it was started.
   */
  updateAgentState(
    id: string,
    state: {
      status: AgentStatus;
      reason: string | null;
      detail: string | null;
      exitCode: number | null;
    },
  ): Promise<boolean>;
}

export const REQUEST_AGENT_STOP = statement<[id: string, reason: string]>(
  'request_agent_stop',
  `
update agents set
  desired = 'stopped',
  reason = coalesce(reason, $2)
where id = $1
  and desired = 'running'
  and status <> 'Stopped'
returning pg_notify('agent_changed', id::text)`,
);

export const MARK_AGENT_STARTED = statement<[id: string]>(
  'mark_agent_started',
  `update agents set started_at = now() where id = $1 and started_at is null`,
);

type StateParameters = [
  id: string,
  status: AgentStatus,
  reason: string | null,
  detail: string | null,
  exitCode: number | null,
];

export const UPDATE_AGENT_STATE = statement<StateParameters>(
  'update_agent_state',
  `
with changed as (
  update agents set
    status = $2,
    reason = coalesce($3, reason),
    detail = coalesce($4, detail),
    exit_code = coalesce($5, exit_code),
    running_at = case when $2 = 'Running' then coalesce(running_at, now()) else running_at end,
    stopped_at = case when $2 = 'Stopped' then now() end,
    desired = case when $2 = 'Stopped' then 'stopped' else desired end
  where id = $1
    and status <> 'Stopped'
    and not (status = 'Running' and $2 = 'Starting')
  returning id
),
deleted as (
  delete from agent_secrets
  using changed
  where $2 = 'Stopped'
    and agent_secrets.agent_id = changed.id
)
select from changed`,
);

/** Returns the queries that change a row of `agents`. */
export function prepareAgentChangeQueries({ sql }: DatabaseAccess): AgentChangeQueries {
  return {
    async requestAgentStop(id, reason) {
      return (await REQUEST_AGENT_STOP.run(sql, id, reason)).length === 1;
    },
    async markAgentStarted(id) {
      await MARK_AGENT_STARTED.run(sql, id);
    },
    async updateAgentState(id, { status, reason, detail, exitCode }) {
      const rows = await UPDATE_AGENT_STATE.run(sql, id, status, reason, detail, exitCode);
      return rows.length === 1;
    },
  };
}
