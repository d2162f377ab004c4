import { hasCode } from '@session/kit';
import { type DatabaseAccess, statement } from '../../statement.ts';
import { inTransaction } from '../../transaction.ts';

export interface NewAgentRow {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
  readonly planId: string | null;
  readonly envTemplateId: string | null;
  readonly config: object;
  /** `never` by default. */
  readonly restartPolicy?: 'never' | 'on-failure';
  readonly createdBy: string;
  /** The span of the request, as a W3C `traceparent`. */
  readonly traceparent?: string | undefined;
}

export type AgentInsertion =
  | 'inserted'
  | 'session_closed'
  | 'agent_already_running'
  | 'agent_capacity'
  /** The plan template or the environment template was deleted at this moment. */
  | 'template_gone';

export interface AgentInsertionQueries {
  /**
   * Stores a Starting agent under an id that the caller made, and wakes the reconciler; or returns why it did not. With a
   * `capacity` the project never has more live agents than that, however many are inserted at once.
   */
  insertAgent(agent: NewAgentRow, capacity?: number): Promise<AgentInsertion>;
}

/** Only the templates can violate it: the statement itself locks the session's row. */
const FOREIGN_KEY_VIOLATION = '23503';

type InsertParameters = [
  id: string,
  sessionId: string,
  role: string,
  planId: string | null,
  envTemplateId: string | null,
  config: string,
  createdBy: string,
  restartPolicy: string,
  traceparent: string | null,
];

// The lock on the session makes its close wait for us, and then find this agent to stop.
export const INSERT_AGENT = statement<InsertParameters, { isActive: boolean; isInserted: boolean }>(
  'insert_agent',
  `
with session as (
  select id from sessions
  where id = $2
    and status = 'ACTIVE'
    and deleted_at is null
  for share
), inserted as (
  insert into agents
    (id, session_id, role, plan_id, env_template_id, config, created_by, restart_policy, traceparent)
  select $1::uuid, session.id, $3, $4::uuid, $5::uuid, $6::text::jsonb, $7::uuid, $8, $9
  from session
  on conflict (session_id, role) where status <> 'Stopped' do nothing
  returning id
)
select
  session.id is not null as "isActive",
  inserted.id is not null as "isInserted",
  case when inserted.id is not null then pg_notify('agent_changed', inserted.id::text) end
from (values (1)) one_row
left join session on true
left join inserted on true`,
);

export const LOCK_PROJECT_OF_SESSION = statement<[sessionId: string]>(
  'lock_project_of_session',
  `
select project.id
from projects project
join sessions session on session.project_id = project.id
where session.id = $1
for no key update of project`,
);

export const DELETE_AGENT_BEYOND_CAPACITY = statement<
  [id: string, capacity: number, sessionId: string]
>(
  'delete_agent_beyond_capacity',
  `
delete from agents
where id = $1
  and $2 < (
    select count(*) from agents live
    join sessions session on session.id = live.session_id
    where session.project_id = (select project_id from sessions where id = $3)
      and live.status <> 'Stopped'
  )
returning 1`,
);

/** Returns the query that inserts into `agents`. */
export function prepareAgentInsertionQueries(database: DatabaseAccess): AgentInsertionQueries {
  return {
    async insertAgent(agent, capacity) {
      try {
        if (capacity === undefined) return await insertAgent(database, agent);
        return await insertWithin(capacity, agent, database);
      } catch (error) {
        if (hasCode(error, FOREIGN_KEY_VIOLATION)) return 'template_gone';
        throw error;
      }
    },
  };
}

async function insertWithin(
  capacity: number,
  agent: NewAgentRow,
  database: DatabaseAccess,
): Promise<AgentInsertion> {
  return await inTransaction(database, async (transaction) => {
    const { sql } = transaction;
    // Inserts into one project wait for each other. Otherwise each would count too few.
    await LOCK_PROJECT_OF_SESSION.run(sql, agent.sessionId);
    const outcome = await insertAgent(transaction, agent);
    const beyond = await DELETE_AGENT_BEYOND_CAPACITY.run(sql, agent.id, capacity, agent.sessionId);
    return beyond.length > 0 ? 'agent_capacity' : outcome;
  });
}

async function insertAgent({ sql }: DatabaseAccess, agent: NewAgentRow): Promise<AgentInsertion> {
  const parameters: InsertParameters = [
    agent.id,
    agent.sessionId,
    agent.role,
    agent.planId,
    agent.envTemplateId,
    JSON.stringify(agent.config),
    agent.createdBy,
    agent.restartPolicy ?? 'never',
    agent.traceparent ?? null,
  ];
  const [outcome] = await INSERT_AGENT.run(sql, ...parameters);
  if (outcome?.isInserted) return 'inserted';
  return outcome?.isActive ? 'agent_already_running' : 'session_closed';
}
