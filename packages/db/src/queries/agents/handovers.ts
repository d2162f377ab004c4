import { agentIdentityText, roleText } from '../../columns/agent-role.ts';
import { allRows, hasRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_ACTIVE_SESSION } from '../sessions/session-end.ts';
import type { ActingAgentRow } from './acting-agents.ts';
import { requestAgentStop } from './agent-changes.ts';

export const isHandedOver = statement(
  'find_agent_of_handover',
  ({ sessionId, handoverId }: { sessionId: string; handoverId: string }) => [sessionId, handoverId],
  hasRows,
)`
select from agents where session_id = $1 and handover_id = $2`;

interface Successor {
  readonly sessionId: string;
  readonly agentTemplateId: string;
  readonly handoverId: string;
  readonly from: string;
}

/** Returns whether another agent with the successor's template is live in the session, and not about to stop. */
export const hasAgentInTheWay = statement(
  'find_agent_in_the_way',
  ({ sessionId, agentTemplateId, handoverId, from }: Successor) => [
    sessionId,
    agentTemplateId,
    handoverId,
    from,
  ],
  hasRows,
)`
select
from agents
where session_id = $1
  and agent_template_id = $2
  and status <> 'Stopped'
  and desired = 'running'
  and handover_id is distinct from $3
  -- The agent that is handed back to: it stops once the one that hands over is Running.
  and id is distinct from (select predecessor_id from agents where id = $4)`;

export const LIST_HANDOVER_AGENTS = statement(
  'list_handover_agents',
  (ids: readonly string[]) => [ids],
  allRows<{ readonly id: string; readonly status: string }>,
)`
select id, status
from agents
where id = any ($1::uuid[])
  and desired = 'running'
  and status <> 'Stopped'
order by id
for no key update`;

type Pair = Pick<ActingAgentRow, 'id' | 'sessionId'> & { readonly successorId: string };

/**
 * Stops an agent whose successor is Running. Returns false, and stops nothing, when the successor is not Running, or one of the
 * two has stopped or was asked to stop.
 */
export async function finishHandover(database: DatabaseAccess, pair: Pair): Promise<boolean> {
  return await withPair(
    database,
    pair,
    async (transaction, successor) =>
      successor === 'Running' && (await requestAgentStop(transaction, pair.id, 'handed_over')),
  );
}

/**
 * Stops a successor that is still Starting, because its predecessor continues. Returns false, and stops nothing, when the
 * successor is not Starting, or one of the two has stopped or was asked to stop.
 */
export async function cancelHandover(database: DatabaseAccess, pair: Pair): Promise<boolean> {
  return await withPair(
    database,
    pair,
    async (transaction, successor) =>
      successor === 'Starting' &&
      (await requestAgentStop(transaction, pair.successorId, 'start_timeout')),
  );
}

/**
 * Locks both agents, because one of them must continue, and two processes could otherwise stop one each. Locks the head before
 * the agents, as a close does.
 */
async function withPair(
  database: DatabaseAccess,
  { id, sessionId, successorId }: Pair,
  stop: (transaction: DatabaseAccess, successor: string) => Promise<boolean>,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_ACTIVE_SESSION(transaction, sessionId);
    const live = await LIST_HANDOVER_AGENTS(transaction, [id, successorId]);
    const successor = live.find((agent) => agent.id === successorId);
    return live.length === 2 && successor ? await stop(transaction, successor.status) : false;
  });
}

interface TakenOver {
  readonly id: string;
  readonly metadata: unknown;
}

/** A successor speaks at once, so few messages precede its first words. */
const SCANNED = 2000;

/** Returns the handover by which an agent continues in the place of another one, until the agent has said something. */
export const findTakenOver = statement(
  'find_taken_over',
  (agentId: string) => [agentId],
  ([found]: { readonly id: string; readonly metadata: string }[]): TakenOver | undefined =>
    found && { id: found.id, metadata: JSON.parse(found.metadata) },
)`
select message.id, message.metadata
from agents agent
join messages message on message.session_id = agent.session_id and message.id = agent.handover_id
where agent.id = $1
  -- An agent that has spoken goes on with what it began.
  and not exists (
    select
    from (
      select later.role, later.metadata
      from messages later
      where later.session_id = agent.session_id
        and later."timestamp" > message."timestamp"
      order by later."timestamp"
      limit (select ${SCANNED})
    ) said
    where said.role = 'assistant'
      and said.metadata #>> '{participant,identity}' = ${agentIdentityText('agent')}
  )`;

export interface EarlierAgent {
  readonly id: string;
  readonly role: string;
  readonly isPredecessor: boolean;
}

/**
 * Returns the predecessors of an agent, and the agents that ran with its agent template in its session, up to the agent
 * itself; the oldest first.
 */
export const listEarlierAgents = statement(
  'list_earlier_agents',
  (agentId: string) => [agentId],
  allRows<EarlierAgent>,
)`
with recursive own as (
  select id, session_id, agent_template_id, predecessor_id from agents where id = $1
), predecessor as (
  select predecessor_id as id from own
  union all
  select agent.predecessor_id from predecessor join agents agent on agent.id = predecessor.id
)
select agent.id, ${roleText('agent')} as role, agent.id in (select id from predecessor where id is not null) as "isPredecessor"
from own
join agents agent on agent.session_id = own.session_id
where agent.id <= own.id
  and (agent.agent_template_id = own.agent_template_id or agent.id in (select id from predecessor))
order by agent.id`;
