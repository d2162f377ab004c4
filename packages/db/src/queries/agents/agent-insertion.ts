import { ADVISORY_LOCKS } from '../../connection/advisory-lock.ts';
import { allRows, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import {
  type AccountLimits,
  changeWithin,
  type ExceededLimit,
  LimitExceeded,
} from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';

export interface NewAgentRow {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
  readonly planId: string | null;
  readonly envTemplateId: string | null;
  readonly agentTemplate?:
    | {
        readonly id: string;
        readonly version: number;
        readonly values: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly handover?: { readonly id: string; readonly from: string } | undefined;
  readonly config: object;
  readonly restartPolicy?: 'never' | 'on-failure';
  readonly createdBy: string;
  /** For the external agent of an API key: the version of the key's tokens when the start was requested. */
  readonly keyVersion?: number | undefined;
  readonly traceparent?: string | undefined;
}

export type AgentInsertion =
  | 'inserted'
  /** The session is closed or deleted, or the agent that hands over has stopped or was asked to stop. */
  | 'session_closed'
  | 'agent_already_running'
  /** The key was deleted, or rotated without keeping its secrets, after the start was requested. */
  | 'key_ended'
  | ExceededLimit
  | 'template_gone';

export interface AgentCapacity extends Pick<AccountLimits, 'agents'> {
  /** The most live agents of all accounts. Absent or 0: any number. */
  readonly allAgents?: number;
}

interface Insertion {
  readonly isActive: boolean;
  readonly isCurrent: boolean;
  readonly hasTemplates: boolean;
  readonly isInserted: boolean;
}

// The lock on the session makes its close wait for this statement, and then find the agent to stop. The templates are locked
// for the same reason, as no foreign key does that. An agent with a template has an infinite `restart_at`, because a process
// of the former release would start it without the template. So has an external agent, which that process would refuse to
// start. The lock on the key waits for a rotation, which cannot find an agent that is inserted later. It is not shared, because
// starts that overlap could keep a rotation waiting.
export const INSERT_AGENT = statement(
  'insert_agent',
  (agent: NewAgentRow, role: string) => [
    agent.id,
    agent.sessionId,
    role,
    agent.planId,
    agent.envTemplateId,
    JSON.stringify(agent.config),
    agent.createdBy,
    agent.restartPolicy ?? 'never',
    agent.traceparent ?? null,
    agent.agentTemplate?.id ?? null,
    agent.agentTemplate?.version ?? null,
    JSON.stringify(agent.agentTemplate?.values ?? {}),
    agent.handover?.id ?? null,
    agent.handover?.from ?? null,
    agent.keyVersion ?? null,
  ],
  allRows<Insertion>,
)`
with session as (
  select id, project_id from sessions
  where id = $2
    and status = 'ACTIVE'
    and deleted_at is null
    and (
      $14::uuid is null
      or exists (select from agents where id = $14 and desired = 'running' and status <> 'Stopped')
    )
  for share
), current_key as materialized (
  select id from users
  where id = $7::uuid and token_version = $15::int and exists (select from session)
  for no key update
), templates as (
  select
    ($4::uuid is null or exists (select from plan_templates where id = $4 for key share))
    and ($5::uuid is null or exists (select from env_templates where id = $5 for key share))
    and ($10::uuid is null or exists (select from agent_templates where id = $10 for key share)) as exist
), inserted as (
  insert into agents
    (id, session_id, role, plan_id, env_template_id, config, created_by, restart_policy, traceparent,
      agent_template_id, agent_template_version, variables, handover_id, predecessor_id, restart_at)
  select $1::uuid, session.id, $3, $4::uuid, $5::uuid, $6::text::jsonb, $7::uuid, $8, $9,
    $10::uuid, $11, $12::text::jsonb, $13::uuid, $14,
    case when $10::uuid is not null or split_part($3::text, '/', 1) = 'external' then 'infinity'::timestamptz end
  from session
  join templates on templates.exist
  where $15::int is null or exists (select from current_key)
  on conflict do nothing
  returning id
), audited as (${auditText('agent.started', {
  project: 'session.project_id',
  // The service itself carries out a handover.
  actor: 'case when $13::uuid is null then $7::uuid end',
  target: 'inserted.id',
  detail: `jsonb_build_object('role', split_part($3::text, '/', 1), 'sessionId', session.id)`,
  from: 'inserted, session',
})}
)
select
  session.id is not null as "isActive",
  $15::int is null or exists (select from current_key) as "isCurrent",
  templates.exist as "hasTemplates",
  inserted.id is not null as "isInserted",
  case when inserted.id is not null then pg_notify('agent_changed', inserted.id::text) end
from templates
left join session on true
left join inserted on true`;

export const FIND_PROJECT_OF_SESSION = statement(
  'find_project_of_session',
  (sessionId: string) => [sessionId],
  allRows<{ readonly projectId: string }>,
)`
select project_id as "projectId" from sessions where id = $1`;

export const SHARE_ACTIVE_SESSION = statement(
  'share_active_session',
  (id: string) => [id],
  hasRows,
)`
select from sessions where id = $1 and status = 'ACTIVE' and deleted_at is null for share`;

export const LOCK_ALL_AGENTS = statement('lock_all_agents', (key: number) => [key], nothing)`
select pg_advisory_xact_lock($1)`;

export const COUNT_ALL_LIVE_AGENTS = statement(
  'count_all_live_agents',
  () => [],
  allRows<{ readonly count: number }>,
)`
select count(*)::int as count from agents where status <> 'Stopped'`;

/**
 * Stores a Starting agent and wakes the reconciler, or returns why it does not. However many agents are inserted at once,
 * neither the account nor the service gets more than `limits`.
 */
export async function insertAgent(
  database: DatabaseAccess,
  agent: NewAgentRow,
  { agents = 0, allAgents = 0 }: AgentCapacity = {},
): Promise<AgentInsertion> {
  const [project] = await FIND_PROJECT_OF_SESSION(database, agent.sessionId);
  if (!project) return 'session_closed';
  return await changeWithin(database, { agents }, project, async (transaction) => {
    if (allAgents > 0) {
      // The erasure of a session locks its row for long. A start that waits for it must not delay starts of other accounts.
      if (!(await SHARE_ACTIVE_SESSION(transaction, agent.sessionId))) return 'session_closed';
      await LOCK_ALL_AGENTS(transaction, ADVISORY_LOCKS.agents);
    }
    const outcome = await insertUnlimited(transaction, agent);
    if (outcome !== 'inserted' || allAgents === 0) return outcome;
    const [all] = await COUNT_ALL_LIVE_AGENTS(transaction);
    if ((all?.count ?? 0) > allAgents) throw new LimitExceeded('service_agent_capacity');
    return outcome;
  });
}

async function insertUnlimited(
  database: DatabaseAccess,
  agent: NewAgentRow,
): Promise<AgentInsertion> {
  const outcome = await insertAs(agent.role, agent, database);
  if (outcome !== 'agent_already_running') return outcome;
  // The name of the role is taken, perhaps by an agent with another template.
  return await insertAs(`${agent.role}/${agent.agentTemplate?.id ?? ''}`, agent, database);
}

async function insertAs(
  role: string,
  agent: NewAgentRow,
  database: DatabaseAccess,
): Promise<Exclude<AgentInsertion, ExceededLimit>> {
  const [outcome] = await INSERT_AGENT(database, agent, role);
  if (outcome?.isInserted) return 'inserted';
  if (!outcome?.isActive) return 'session_closed';
  if (!outcome.isCurrent) return 'key_ended';
  return outcome.hasTemplates ? 'agent_already_running' : 'template_gone';
}
