import { roleText } from '../../columns/agent-role.ts';
import { allRows, hasRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

export interface BarredAgent {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
}

/** The Stopped agents that are barred from ACTIVE sessions of `$1`. */
const BARRED_AGENTS = `from agents agent
join sessions session on session.id = agent.session_id
where agent.barred_until is not null
  and agent.status = 'Stopped'
  and agent.session_id = any ($1::uuid[])
  and session.status = 'ACTIVE'
  and session.deleted_at is null`;

/** Longer than any token of an agent remains valid after its end: ten minutes, and one minute for wrong clocks. */
export const BAR_TIME = `interval '15 min'`;

export const hasBarredAgents = statement('has_barred_agents', () => [], hasRows)`
select 1 from agents where barred_until is not null and status = 'Stopped' limit 1`;

export const listRoomsOfBarredAgents = statement(
  'list_rooms_of_barred_agents',
  (ids: readonly string[]) => [ids],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
select distinct session.id
${BARRED_AGENTS}`;

export const listBarredAgents = statement(
  'list_barred_agents',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<BarredAgent>,
)`
select agent.id, agent.session_id as "sessionId", ${roleText('agent')} as role
${BARRED_AGENTS}`;

export const extendAgentBar = statement('extend_agent_bar', (id: string) => [id], nothing)`
update agents set barred_until = now() + ${BAR_TIME} where id = $1 and status = 'Stopped'`;

/** Ends the bars whose time is over, except those of agents in `unseen` sessions, which may be in the room. */
export const forgetBarredAgents = statement(
  'forget_barred_agents',
  (unseen: readonly string[]) => [unseen],
  nothing,
)`
update agents set barred_until = null
where barred_until <= now()
  and status = 'Stopped'
  and session_id <> all ($1::uuid[])`;
