import { roleText } from '../../columns/agent-role.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { closeSession, LOCK_ACTIVE_SESSION } from '../sessions/session-end.ts';
import { requestAgentStop } from './agent-changes.ts';

/**
 * A live agent whose template's version lets it act on its session. `endConversation` and `handover` are those of that
 * version.
 */
export interface ActingAgentRow {
  readonly id: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly role: string;
  readonly envTemplateId: string | null;
  readonly restartPolicy: 'never' | 'on-failure';
  readonly createdBy: string;
  readonly createdAt: string;
  readonly endConversation: unknown;
  readonly handover: unknown;
  readonly variables: Readonly<Record<string, string>>;
  readonly successorId: string | null;
  readonly successorHandoverId: string | null;
  readonly isSuccessorRunning: boolean;
}

type StoredActingAgent = Omit<ActingAgentRow, 'endConversation' | 'handover' | 'variables'> & {
  readonly endConversation: string | null;
  readonly handover: string | null;
  readonly variables: string;
};

/**
 * Returns the live agents that may end or hand over their conversation, the oldest first. A definition may have 100 KB, so
 * each is read once, however many agents run with it.
 */
export const listActingAgents = statement(
  'list_acting_agents',
  () => [],
  (rows: StoredActingAgent[]): ActingAgentRow[] =>
    rows.map((row) => ({
      ...row,
      endConversation: fromJson(row.endConversation),
      handover: fromJson(row.handover),
      variables: JSON.parse(row.variables),
    })),
)`
with live as materialized (
  select agent.*, session.project_id
  from agents agent
  join sessions session on session.id = agent.session_id
  where agent.status <> 'Stopped'
    and agent.desired = 'running'
    and agent.agent_template_version is not null
    and session.status = 'ACTIVE'
), allowing as materialized (
  select
    version.template_id,
    version.version,
    version.definition -> 'endConversation' as end_conversation,
    version.definition -> 'handover' as handover
  from (select distinct agent_template_id, agent_template_version from live) used
  join agent_template_versions version
    on version.template_id = used.agent_template_id and version.version = used.agent_template_version
)
select
  live.id,
  live.session_id as "sessionId",
  ${roleText('live')} as role,
  live.project_id as "projectId",
  (select id from env_templates where id = live.env_template_id) as "envTemplateId",
  live.restart_policy as "restartPolicy",
  live.created_by as "createdBy",
  live.created_at as "createdAt",
  live.variables,
  allowing.end_conversation as "endConversation",
  allowing.handover,
  successor.id as "successorId",
  successor.handover_id as "successorHandoverId",
  coalesce(successor.status = 'Running', false) as "isSuccessorRunning"
from live
join allowing
  on allowing.template_id = live.agent_template_id and allowing.version = live.agent_template_version
left join live successor
  on successor.predecessor_id = live.id and successor.session_id = live.session_id
where jsonb_typeof(allowing.end_conversation) = 'object'
  or jsonb_typeof(allowing.handover -> 'agents') = 'array'
order by live.id`;

function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

export interface AgentAct {
  readonly id: string;
  readonly kind: 'conversation_ended' | 'handover';
  /** Whether the report is older than the time for which an agent waits for its successor. */
  readonly isOld: boolean;
  /** As it is in the history: see `EndReport` and `HandoverReport` of the contract. */
  readonly report: unknown;
}

/**
 * Returns what an agent reported after `position` in the session's last hour, the oldest first, and the position up to which
 * the session was read; undefined when the session is gone. A new leader reads only the last hour of a long history, because
 * more could time out each time.
 */
export const followAgentActs = statement(
  'follow_agent_acts',
  ({
    sessionId,
    identity,
    position,
  }: {
    sessionId: string;
    identity: string;
    position: string;
  }) => [sessionId, identity, position],
  (
    rows: {
      readonly lastAt: string;
      readonly id: string | null;
      readonly kind: AgentAct['kind'];
      readonly isOld: boolean;
      readonly report: string | null;
    }[],
  ) => {
    const [first] = rows;
    if (!first) return undefined;
    const acts = rows.flatMap(({ id, kind, isOld, report }) =>
      id === null ? [] : { id, kind, isOld, report: fromJson(report) },
    );
    // One snapshot, so nothing lies between the last message and `lastAt`.
    return { acts, end: first.lastAt };
  },
)`
select
  head.last_at as "lastAt",
  act.id,
  act.kind,
  act."timestamp" < now() - interval '70 seconds' as "isOld",
  act.report
from session_heads head
left join lateral (
  select message.id, message.kind, message."timestamp", message.metadata -> 'payload' as report
  from messages message
  where message.session_id = $1
    and message."timestamp" > greatest($3::timestamptz, head.last_at - interval '1 hour')
    and message.kind in ('conversation_ended', 'handover')
    and message.metadata #>> '{participant,identity}' = $2
) act on true
where head.session_id = $1
order by act."timestamp"`;

/**
 * Stops an agent that ended the conversation, and closes its session if `closesSession`. Returns false, and closes nothing,
 * when the agent has stopped, or was asked to stop before.
 */
export async function endConversation(
  database: DatabaseAccess,
  { id, sessionId }: Pick<ActingAgentRow, 'id' | 'sessionId'>,
  closesSession: boolean,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    // Locks the head before the agent, as a close does.
    if (closesSession) await LOCK_ACTIVE_SESSION(transaction, sessionId);
    const isStopped = await requestAgentStop(transaction, id, 'conversation_ended');
    if (isStopped && closesSession) await closeSession(transaction, sessionId, 'agent');
    return isStopped;
  });
}
