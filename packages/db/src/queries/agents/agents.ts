import { roleText } from '../../columns/agent-role.ts';
import { isoFromText, isoFromTextOrNull } from '../../columns/iso-time.ts';
import type { agents } from '../../schema/agents.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
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
 * - `restartInMs`: when the next workload is due; null unless the agent waits for it.
 * - `endsMsAgo`: how long ago the newest restarted workloads ended, the oldest first.
 */
export interface LiveAgentRow extends AgentRow, AgentStartTimes {
  readonly projectId: string;
  readonly sessionStatus: SessionStatus;
  readonly traceparent: string | null;
  readonly restartInMs: number | null;
  readonly endsMsAgo: readonly number[];
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
  agent.plan_id as "planId",
  agent.env_template_id as "envTemplateId",
  agent.agent_template_id as "agentTemplateId",
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

export const FIND_AGENT = statement<[id: string, userId: string], FoundAgent>(
  'find_agent',
  `
select ${COLUMNS}, agent.variables, session.project_id as "projectId", membership.role as "memberRole"
from agents agent
join sessions session on session.id = agent.session_id
join memberships membership on membership.project_id = session.project_id
where agent.id = $1
  and membership.user_id = $2
  and session.deleted_at is null`,
);

/** Returns the agent and the user's role in its project, or undefined: unknown, deleted and foreign ones look the same. */
export async function findAgent(
  database: DatabaseAccess,
  { id, userId }: { id: string; userId: string },
): Promise<(ShownAgentRow & { memberRole: ProjectRole; projectId: string }) | undefined> {
  const [agent] = await FIND_AGENT.run(database, id, userId);
  if (!agent) return undefined;
  return { ...shownAgentRow(agent), memberRole: agent.memberRole, projectId: agent.projectId };
}

export const LIST_AGENTS = statement<
  [sessionId: string, before: string, limit: number],
  ShownAgent
>(
  'list_agents',
  `
select ${COLUMNS}, agent.variables
from agents agent
where agent.session_id = $1
  and agent.id < $2
-- Ids lie in the order of their creation.
order by agent.id desc
limit $3`,
);

/** Returns up to `limit` agents of a session, the newest first, after the agent `before` (at first the greatest UUID). */
export async function listAgents(
  database: DatabaseAccess,
  { sessionId, before, limit }: { sessionId: string; before: string; limit: number },
): Promise<ShownAgentRow[]> {
  return (await LIST_AGENTS.run(database, sessionId, before, limit)).map(shownAgentRow);
}

export const LIST_LIVE_AGENTS_OF_SESSIONS = statement<
  [sessionIds: readonly string[]],
  AgentOfSession
>(
  'list_live_agents_of_sessions',
  `
select agent.id, agent.session_id as "sessionId", ${roleText('agent')} as role, agent.status
from agents agent
where agent.session_id = any ($1::uuid[])
  and agent.status <> 'Stopped'
order by agent.id`,
);

export async function listLiveAgentsOf(
  database: DatabaseAccess,
  sessionIds: readonly string[],
): Promise<AgentOfSession[]> {
  return await LIST_LIVE_AGENTS_OF_SESSIONS.run(database, sessionIds);
}

interface StoredLiveAgent extends Omit<LiveAgentRow, 'config' | 'endsMsAgo'>, StoredAgent {
  readonly ends: string;
  readonly nowMs: number;
}

export const LIST_LIVE_AGENTS = statement<[], StoredLiveAgent>(
  'list_live_agents',
  `
select ${COLUMNS},
  agent.scheduled_at as "scheduledAt",
  agent.program_started_at as "programStartedAt",
  case
    when agent.restart_at < 'infinity' then (extract(epoch from agent.restart_at - now()) * 1000)::float8
  end as "restartInMs",
  agent.ends,
  agent.traceparent,
  (${NOW_MS})::float8 as "nowMs",
  session.project_id as "projectId",
  session.status as "sessionStatus"
from agents agent
join sessions session on session.id = agent.session_id
where agent.status <> 'Stopped'
order by agent.id`,
);

export async function listLiveAgents(database: DatabaseAccess): Promise<LiveAgentRow[]> {
  return (await LIST_LIVE_AGENTS.run(database)).map(liveAgentRow);
}

export const COUNT_LIVE_AGENTS = statement<[projectId: string], LiveAgentCounts>(
  'count_live_agents',
  `
select
  count(*)::int as "all",
  count(*) filter (
    where (select session.project_id from sessions session where session.id = agent.session_id)
      = any (array(${projectsOf(accountOf('$1'))}))
  )::int as "ofAccount"
from agents agent
where agent.status <> 'Stopped'`,
);

/** Returns the number of live agents of all accounts, and of the account of a project. */
export async function countLiveAgents(
  database: DatabaseAccess,
  projectId: string,
): Promise<LiveAgentCounts> {
  const [counts] = await COUNT_LIVE_AGENTS.run(database, projectId);
  return { all: counts?.all ?? 0, ofAccount: counts?.ofAccount ?? 0 };
}

export const FIND_LIVE_AGENT_LIKE = statement<
  [sessionId: string, role: string, agentTemplateId: string | null]
>(
  'find_live_agent_like',
  `
select from agents agent
where agent.status <> 'Stopped'
  and agent.session_id = $1
  and ${roleText('agent')} = $2
  and agent.agent_template_id is not distinct from $3::uuid`,
);

/** Whether the session has a live agent of that role with that agent template, or without one. */
export async function hasLiveAgent(
  database: DatabaseAccess,
  agent: { sessionId: string; role: string; agentTemplateId: string | null },
): Promise<boolean> {
  const { sessionId, role, agentTemplateId } = agent;
  return (await FIND_LIVE_AGENT_LIKE.run(database, sessionId, role, agentTemplateId)).length > 0;
}

function agentRow(stored: StoredAgent): AgentRow {
  return {
    id: stored.id,
    sessionId: stored.sessionId,
    role: stored.role,
    desired: stored.desired,
    status: stored.status,
    reason: stored.reason,
    detail: stored.detail,
    exitCode: stored.exitCode,
    planId: stored.planId,
    envTemplateId: stored.envTemplateId,
    agentTemplateId: stored.agentTemplateId,
    agentTemplateVersion: stored.agentTemplateVersion,
    config: JSON.parse(stored.config),
    restartPolicy: stored.restartPolicy,
    restarts: stored.restarts,
    createdBy: stored.createdBy,
    createdAt: isoFromText(stored.createdAt),
    startedAt: isoFromTextOrNull(stored.startedAt),
    runningAt: isoFromTextOrNull(stored.runningAt),
    stoppedAt: isoFromTextOrNull(stored.stoppedAt),
  };
}

function shownAgentRow(stored: ShownAgent): ShownAgentRow {
  return { ...agentRow(stored), variables: JSON.parse(stored.variables) };
}

function liveAgentRow(stored: StoredLiveAgent): LiveAgentRow {
  const ends: StoredEnd[] = JSON.parse(stored.ends);
  return {
    ...agentRow(stored),
    scheduledAt: isoFromTextOrNull(stored.scheduledAt),
    programStartedAt: isoFromTextOrNull(stored.programStartedAt),
    projectId: stored.projectId,
    sessionStatus: stored.sessionStatus,
    traceparent: stored.traceparent,
    restartInMs: stored.restartInMs,
    endsMsAgo: ends.map(({ endedAt }) => stored.nowMs - endedAt),
  };
}
