import { NIL } from 'uuid';
import { type DatabaseAccess, statement } from '../../statement.ts';

/** A Stopped agent whose tokens may still open its room. */
export interface BarredAgent {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
}

export interface StoppedAgentQueries {
  /**
   * Returns up to `limit` Stopped agents of ACTIVE sessions whose tokens may still open their rooms, in the order of sessions
   * and ids: the first ones, or those that follow `after`.
   */
  listBarredAgents(limit: number, after?: BarredAgent): Promise<BarredAgent[]>;
  /** Restarts the time for which a Stopped agent is barred: while it was in the room, the media server renewed its token. */
  extendAgentBar(id: string): Promise<void>;
  /** Ends the bar of the agents whose tokens have all expired. */
  forgetBarredAgents(): Promise<void>;
}

/** Longer than any token that an agent has when it stops: ten minutes, and one for wrong clocks. */
export const BAR_TIME = `interval '15 min'`;

export const LIST_BARRED_AGENTS = statement<
  [limit: number, afterSession: string, afterId: string],
  BarredAgent
>(
  'list_barred_agents',
  `
select agent.id, agent.session_id as "sessionId", agent.role
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

export const EXTEND_AGENT_BAR = statement<[id: string]>(
  'extend_agent_bar',
  `update agents set barred_until = now() + ${BAR_TIME} where id = $1 and status = 'Stopped'`,
);

export const FORGET_BARRED_AGENTS = statement<[]>(
  'forget_barred_agents',
  `update agents set barred_until = null where barred_until <= now() and status = 'Stopped'`,
);

/** Returns the queries that keep Stopped agents out of their rooms. */
export function prepareStoppedAgentQueries({ sql }: DatabaseAccess): StoppedAgentQueries {
  return {
    async listBarredAgents(limit, after) {
      const { sessionId = NIL, id = NIL } = after ?? {};
      return [...(await LIST_BARRED_AGENTS.run(sql, limit, sessionId, id))];
    },
    async extendAgentBar(id) {
      await EXTEND_AGENT_BAR.run(sql, id);
    },
    async forgetBarredAgents() {
      await FORGET_BARRED_AGENTS.run(sql);
    },
  };
}
