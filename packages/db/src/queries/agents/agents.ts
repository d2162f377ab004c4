import { roleText } from '../../columns/agent-role.ts';
import type { agents } from '../../schema/agents.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, hasRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { accountOf, projectsOf } from '../accounts/account-usage.ts';
import type { SessionStatus } from '../sessions/sessions.ts';
import { NOW_MS, type StoredEnd } from './agent-restarts.ts';

type AgentColumns = typeof agents.$inferSelect;

export interface AgentRow
  extends Readonly<
    Pick<
      AgentColumns,
      | 'id'
      | 'sessionId'
      | 'role'
      | 'desired'
      | 'status'
      | 'reason'
      | 'detail'
      | 'exitCode'
      | 'planId'
      | 'envTemplateId'
      | 'agentTemplateId'
      | 'agentTemplateVersion'
      | 'config'
      | 'restartPolicy'
      | 'restarts'
      | 'createdBy'
    >
  > {
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly runningAt: string | null;
  readonly stoppedAt: string | null;
}

export interface AgentStartTimes {
  /** The time at which the agent's pod got a node; null for a process. */
  readonly scheduledAt: string | null;
  readonly programStartedAt: string | null;
}

/**
 * - `restartInMs`: in how many milliseconds the next workload is due; null unless the agent waits for it.
 * - `endsMsAgo`: how long ago the last workloads ended that were followed by a restart, the oldest first.
 * - `missedSince`: all texts that the present workload may miss are later than this time of the history (ISO 8601). For
 *   an external agent it is the time at which the agent left.
 * - `nowMs`: when the row was read, by the database's clock, in milliseconds since 1970.
 * - `firstLine`: the number of the first log line that may be of the present workload; null when that is not known.
 * - `joinedAt`: when the present workload, or the external agent, was last noted as Running, by the same clock; null
 *   before.
 * - `isSuccessor`: whether another agent handed over to this one.
 */
export interface LiveAgentRow extends AgentRow, AgentStartTimes {
  readonly projectId: string;
  readonly sessionStatus: SessionStatus;
  readonly traceparent: string | null;
  readonly restartInMs: number | null;
  readonly endsMsAgo: readonly number[];
  readonly missedSince: string;
  readonly nowMs: number;
  readonly joinedAt: number | null;
  readonly isSuccessor: boolean;
  readonly firstLine: number | null;
}

export interface ShownAgentRow extends AgentRow {
  readonly variables: Readonly<Record<string, string>>;
}

export type AgentOfSession = Pick<AgentRow, 'id' | 'sessionId' | 'role' | 'status'>;

export interface LiveAgentCounts {
  readonly all: number;
  readonly ofAccount: number;
}

interface StoredAgent extends AgentRow {
  readonly config: string;
}

const COLUMNS = `
  agent.id,
  agent.session_id as "sessionId",
  ${roleText('agent')} as role,
  agent.desired,
  agent.status,
  agent.reason,
  agent.detail,
  agent.exit_code as "exitCode",
  (select id from plan_templates where id = agent.plan_id) as "planId",
  (select id from env_templates where id = agent.env_template_id) as "envTemplateId",
  (select id from agent_templates where id = agent.agent_template_id) as "agentTemplateId",
  agent.agent_template_version as "agentTemplateVersion",
  agent.config,
  agent.restart_policy as "restartPolicy",
  agent.restarts,
  agent.created_by as "createdBy",
  agent.created_at as "createdAt",
  agent.started_at as "startedAt",
  agent.running_at as "runningAt",
  agent.stopped_at as "stoppedAt"`;

type ShownAgent = StoredAgent & { readonly variables: string };
type FoundAgent = ShownAgent & { readonly memberRole: ProjectRole; readonly projectId: string };

export const findAgent = statement(
  'find_agent',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([agent]: FoundAgent[]) => agent && shownAgentRow(agent),
)`
select ${COLUMNS}, agent.variables, session.project_id as "projectId", membership.role as "memberRole"
from agents agent
join sessions session on session.id = agent.session_id
join memberships membership on membership.project_id = session.project_id
where agent.id = $1
  and membership.user_id = $2
  and session.deleted_at is null`;

export const listAgents = statement(
  'list_agents',
  ({ sessionId, before, limit }: { sessionId: string; before: string; limit: number }) => [
    sessionId,
    before,
    limit,
  ],
  (rows: ShownAgent[]) => rows.map(shownAgentRow),
)`
select ${COLUMNS}, agent.variables
from agents agent
where agent.session_id = $1
  and agent.id < $2
-- Ids lie in the order of their creation.
order by agent.id desc
limit $3`;

export const listLiveAgentsOf = statement(
  'list_live_agents_of_sessions',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<AgentOfSession>,
)`
select agent.id, agent.session_id as "sessionId", ${roleText('agent')} as role, agent.status
from agents agent
where agent.session_id = any ($1::uuid[])
  and agent.status <> 'Stopped'
order by agent.id`;

interface StoredLiveAgent
  extends Omit<LiveAgentRow, 'config' | 'endsMsAgo' | 'firstLine' | 'joinedAt' | 'missedSince'>,
    StoredAgent {
  readonly ends: string;
}

export const listLiveAgents = statement(
  'list_live_agents',
  () => [],
  (rows: StoredLiveAgent[]) => rows.map(liveAgentRow),
)`
select ${COLUMNS},
  agent.scheduled_at as "scheduledAt",
  agent.program_started_at as "programStartedAt",
  case
    when agent.restart_at < 'infinity' then (extract(epoch from agent.restart_at - now()) * 1000)::float8
  end as "restartInMs",
  agent.ends,
  agent.handover_id is not null as "isSuccessor",
  agent.traceparent,
  (${NOW_MS})::float8 as "nowMs",
  session.project_id as "projectId",
  session.status as "sessionStatus"
from agents agent
join sessions session on session.id = agent.session_id
where agent.status <> 'Stopped'
order by agent.id`;

export type LiveWorkload = Pick<AgentRow, 'id' | 'restarts'>;

export const listLiveWorkloads = statement('list_live_workloads', () => [], allRows<LiveWorkload>)`
select agent.id, agent.restarts from agents agent where agent.status <> 'Stopped'`;

export const countLiveAgents = statement(
  'count_live_agents',
  (projectId: string) => [projectId],
  ([counts]: LiveAgentCounts[]) => ({ all: counts?.all ?? 0, ofAccount: counts?.ofAccount ?? 0 }),
)`
select
  count(*)::int as "all",
  count(*) filter (
    where (select session.project_id from sessions session where session.id = agent.session_id)
      = any (array(${projectsOf(accountOf('$1'))}))
  )::int as "ofAccount"
from agents agent
where agent.status <> 'Stopped'`;

export const hasLiveAgent = statement(
  'find_live_agent_like',
  (agent: { sessionId: string; role: string; agentTemplateId: string | null }) => [
    agent.sessionId,
    agent.role,
    agent.agentTemplateId,
  ],
  hasRows,
)`
select from agents agent
where agent.status <> 'Stopped'
  and agent.session_id = $1
  and ${roleText('agent')} = $2
  and agent.agent_template_id is not distinct from $3::uuid`;

function shownAgentRow<Stored extends ShownAgent>(
  stored: Stored,
): Omit<Stored, 'config' | 'variables'> & Pick<ShownAgentRow, 'config' | 'variables'> {
  return { ...stored, config: JSON.parse(stored.config), variables: JSON.parse(stored.variables) };
}

function liveAgentRow({ config, ends, ...agent }: StoredLiveAgent): LiveAgentRow {
  const stored: StoredEnd[] = JSON.parse(ends);
  const lastEnd = stored.at(-1);
  return {
    ...agent,
    config: JSON.parse(config),
    endsMsAgo: stored.map(({ endedAt }) => agent.nowMs - endedAt),
    missedSince: missedSince(agent, lastEnd),
    joinedAt: joinedAt(agent, lastEnd),
    firstLine: lastEnd ? (lastEnd.nextLine ?? null) : 0,
  };
}

function joinedAt({ runningAt }: Pick<AgentRow, 'runningAt'>, lastEnd?: StoredEnd): number | null {
  if (lastEnd) return lastEnd.joinedAt ?? null;
  return runningAt === null ? null : Date.parse(runningAt);
}

function missedSince({ createdAt }: Pick<AgentRow, 'createdAt'>, lastEnd?: StoredEnd): string {
  return lastEnd ? new Date(lastEnd.lastAt ?? lastEnd.endedAt).toISOString() : createdAt;
}
