import { NIL } from 'uuid';
import { roleText } from '../../columns/agent-role.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export interface BarredAgent {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
}

/** Longer than any token that an agent has when it stops: ten minutes, and one for wrong clocks. */
export const BAR_TIME = `interval '15 min'`;

export const LIST_BARRED_AGENTS = statement<
  [limit: number, afterSession: string, afterId: string],
  BarredAgent
>(
  'list_barred_agents',
  `
select agent.id, agent.session_id as "sessionId", ${roleText('agent')} as role
from agents agent
join sessions session on session.id = agent.session_id
where agent.barred_until is not null
  and agent.status = 'Stopped'
  and session.status = 'ACTIVE'
  and session.deleted_at is null
  and (agent.session_id, agent.id) > ($2::uuid, $3::uuid)
order by agent.session_id, agent.id
limit $1`,
);

/** Returns up to `limit` Stopped agents whose tokens may still open ACTIVE rooms, by session and id, after `after`. */
export async function listBarredAgents(
  database: DatabaseAccess,
  limit: number,
  after?: BarredAgent,
): Promise<BarredAgent[]> {
  const { sessionId = NIL, id = NIL } = after ?? {};
  return [...(await LIST_BARRED_AGENTS.run(database, limit, sessionId, id))];
}

export const EXTEND_AGENT_BAR = statement<[id: string]>(
  'extend_agent_bar',
  `update agents set barred_until = now() + ${BAR_TIME} where id = $1 and status = 'Stopped'`,
);

/** Restarts the time for which a Stopped agent is barred: while it was in the room, the media server renewed its token. */
export async function extendAgentBar(database: DatabaseAccess, id: string): Promise<void> {
  await EXTEND_AGENT_BAR.run(database, id);
}

export const FORGET_BARRED_AGENTS = statement<[]>(
  'forget_barred_agents',
  `update agents set barred_until = null where barred_until <= now() and status = 'Stopped'`,
);

export async function forgetBarredAgents(database: DatabaseAccess): Promise<void> {
  await FORGET_BARRED_AGENTS.run(database);
}
