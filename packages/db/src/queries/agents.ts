import { hasCode } from '@session/kit';
import type { Sql } from 'postgres';
import type { Database, Db } from '../client.ts';
import { and, desc, eq, lt, ne, sql as text } from '../drizzle.ts';
import { isoTime, isoTimeOrNull } from '../iso-time.ts';
import { agents } from '../schema/agents.ts';
import { memberships } from '../schema/memberships.ts';
import { sessions } from '../schema/sessions.ts';
import type { MemberRole } from './memberships.ts';
import type { SessionStatus } from './sessions.ts';

type AgentColumns = typeof agents.$inferSelect;
export type AgentStatus = AgentColumns['status'];

/** All times are ISO 8601, UTC, milliseconds. */
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
      | 'config'
      | 'createdBy'
    >
  > {
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly runningAt: string | null;
  readonly stoppedAt: string | null;
}

/** When the steps of its start were, as far as anybody has seen them. */
export interface AgentStartTimes {
  /** When its pod got a node; null for a process. */
  readonly scheduledAt: string | null;
  readonly programStartedAt: string | null;
}

/** An agent as the reconciler needs it. */
export interface LiveAgentRow extends AgentRow, AgentStartTimes {
  readonly projectId: string;
  readonly sessionStatus: SessionStatus;
}

export interface NewAgentRow {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
  readonly planId: string | null;
  readonly envTemplateId: string | null;
  readonly config: object;
  readonly createdBy: string;
}

export type AgentInsertion =
  | 'inserted'
  | 'session_closed'
  | 'agent_already_running'
  | 'agent_capacity'
  /** Its plan or its template of variables was deleted at this very moment. */
  | 'template_gone';

export interface AgentQueries {
  /**
   * Stores a Starting agent under an id that the caller made, and tells the reconciler; or says why it did not. With a
   * `capacity` its project has at most so many that have not stopped, exactly, however many are inserted at once.
   */
  insertAgent(agent: NewAgentRow, capacity?: number): Promise<AgentInsertion>;
  /** Gives the agent and what the user is in its project, or undefined: unknown, deleted and foreign ones look the same. */
  findAgent(key: {
    id: string;
    userId: string;
  }): Promise<(AgentRow & { memberRole: MemberRole; projectId: string }) | undefined>;
  /** Gives up to `limit` agents of a session, the newest first, beginning after the agent `before` (the greatest UUID: with the newest). */
  listAgents(page: { sessionId: string; before: string; limit: number }): Promise<AgentRow[]>;
  /** Gives all agents of the service that have not stopped, the oldest first: the reconciler's list. */
  listLiveAgents(): Promise<LiveAgentRow[]>;
  /** Counts the agents of a project that have not stopped. */
  countLiveAgents(projectId: string): Promise<number>;
  /** Says whether an agent of that role in the session has not stopped. */
  hasLiveAgent(key: { sessionId: string; role: string }): Promise<boolean>;
  /** Asks for an agent's end, for a reason unless there is one, and tells the reconciler; false when it was asked before. */
  requestAgentStop(id: string, reason: string): Promise<boolean>;
  /** Notes that the agent's workload was made; only the first time counts. */
  markAgentStarted(id: string): Promise<void>;
  /**
   * Says how an agent stands; a null leaves what is stored. Only forward: gives false, and changes nothing, for one that
   * has stopped, and for a Running one that is to be Starting.
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

const row = {
  id: agents.id,
  sessionId: agents.sessionId,
  role: agents.role,
  desired: agents.desired,
  status: agents.status,
  reason: agents.reason,
  detail: agents.detail,
  exitCode: agents.exitCode,
  planId: agents.planId,
  envTemplateId: agents.envTemplateId,
  config: agents.config,
  createdBy: agents.createdBy,
  createdAt: isoTime(agents.createdAt),
  startedAt: isoTimeOrNull(agents.startedAt),
  runningAt: isoTimeOrNull(agents.runningAt),
  stoppedAt: isoTimeOrNull(agents.stoppedAt),
};

/** Of the templates alone: the session's row is locked by the statement itself. */
const FOREIGN_KEY_VIOLATION = '23503';

// The lock lets a close of the session wait for us, and then find this agent to stop.
const INSERT = `
with s as (
  select id from sessions where id = $2 and status = 'ACTIVE' and deleted_at is null for share
), a as (
  insert into agents (id, session_id, role, plan_id, env_template_id, config, created_by)
  select $1::uuid, s.id, $3, $4::uuid, $5::uuid, $6::text::jsonb, $7::uuid from s
  on conflict (session_id, role) where status <> 'Stopped' do nothing returning id
)
select s.id is not null as "isActive", a.id is not null as "isInserted",
  case when a.id is not null then pg_notify('agent_changed', a.id::text) end
from (values (1)) one left join s on true left join a on true`;

const LOCK_PROJECT = `
select p.id from projects p join sessions s on s.project_id = p.id where s.id = $1 for no key update of p`;

const DELETE_BEYOND = `
delete from agents where id = $1 and $2 < (select count(*) from agents a join sessions s on s.id = a.session_id
  where s.project_id = (select project_id from sessions where id = $3) and a.status <> 'Stopped') returning 1`;

const REQUEST_STOP = `
update agents set desired = 'stopped', reason = coalesce(reason, $2)
where id = $1 and desired = 'running' and status <> 'Stopped' returning pg_notify('agent_changed', id::text)`;

const MARK_STARTED = `update agents set started_at = now() where id = $1 and started_at is null`;

const UPDATE_STATE = `
update agents set status = $2, reason = coalesce($3, reason), detail = coalesce($4, detail), exit_code = coalesce($5, exit_code),
  running_at = case when $2 = 'Running' then coalesce(running_at, now()) else running_at end,
  stopped_at = case when $2 = 'Stopped' then now() end,
  desired = case when $2 = 'Stopped' then 'stopped' else desired end
where id = $1 and status <> 'Stopped' and not (status = 'Running' and $2 = 'Starting') returning 1`;

/** Prepares the statements on `agents`, once for `database`. */
export function prepareAgentQueries({ db, sql }: Pick<Database, 'db' | 'sql'>): AgentQueries {
  return { ...prepareReads(db), ...prepareLiveReads(db), ...prepareWrites(sql) };
}

function prepareReads(db: Db) {
  const id = text.placeholder('id');
  const find = db
    .select({ ...row, projectId: sessions.projectId, memberRole: memberships.role })
    .from(agents)
    .innerJoin(sessions, eq(sessions.id, agents.sessionId))
    .innerJoin(memberships, eq(memberships.projectId, sessions.projectId))
    .where(
      and(
        eq(agents.id, id),
        eq(memberships.userId, text.placeholder('userId')),
        text`${sessions.deletedAt} is null`,
      ),
    )
    .prepare('find_agent');
  const list = db
    .select(row)
    .from(agents)
    .where(
      and(
        eq(agents.sessionId, text.placeholder('sessionId')),
        lt(agents.id, text.placeholder('before')),
      ),
    )
    // Ids lie in the order of their making.
    .orderBy(desc(agents.id))
    .limit(text.placeholder('limit'))
    .prepare('list_agents');
  return {
    findAgent: async (key: { id: string; userId: string }) => (await find.execute(key))[0],
    listAgents: (page: { sessionId: string; before: string; limit: number }) => list.execute(page),
  };
}

/** Of those that have not stopped. */
function prepareLiveReads(db: Db) {
  const live = ne(agents.status, 'Stopped');
  const listLive = db
    .select({
      ...row,
      scheduledAt: isoTimeOrNull(agents.scheduledAt),
      programStartedAt: isoTimeOrNull(agents.programStartedAt),
      projectId: sessions.projectId,
      sessionStatus: sessions.status,
    })
    .from(agents)
    .innerJoin(sessions, eq(sessions.id, agents.sessionId))
    .where(live)
    .orderBy(agents.id)
    .prepare('list_live_agents');
  const countLive = db
    .select({ count: text<number>`count(*)::int` })
    .from(agents)
    .innerJoin(sessions, eq(sessions.id, agents.sessionId))
    .where(and(live, eq(sessions.projectId, text.placeholder('projectId'))))
    .prepare('count_live_agents');
  const ofRole = db
    .select({ id: agents.id })
    .from(agents)
    .where(
      and(
        live,
        eq(agents.sessionId, text.placeholder('sessionId')),
        eq(agents.role, text.placeholder('role')),
      ),
    )
    .prepare('live_agent_of_role');
  return {
    listLiveAgents: () => listLive.execute(),
    countLiveAgents: async (projectId: string) =>
      (await countLive.execute({ projectId }))[0]?.count ?? 0,
    hasLiveAgent: async (key: { sessionId: string; role: string }) =>
      (await ofRole.execute(key)).length > 0,
  };
}

function prepareWrites(sql: Sql) {
  const run = async (statement: string, parameters: (string | number | null)[]) =>
    (await sql.unsafe(statement, parameters, { prepare: true })).length === 1;
  return {
    async insertAgent(agent: NewAgentRow, capacity?: number): Promise<AgentInsertion> {
      try {
        if (capacity === undefined) return await insertAgent(sql, agent);
        return await insertWithin(capacity, agent, sql);
      } catch (error) {
        if (hasCode(error, FOREIGN_KEY_VIOLATION)) return 'template_gone';
        throw error;
      }
    },
    requestAgentStop: (id: string, reason: string) => run(REQUEST_STOP, [id, reason]),
    markAgentStarted: async (id: string) => void (await run(MARK_STARTED, [id])),
    updateAgentState: (id: string, state: Parameters<AgentQueries['updateAgentState']>[1]) =>
      run(UPDATE_STATE, [id, state.status, state.reason, state.detail, state.exitCode]),
  };
}

async function insertWithin(
  capacity: number,
  agent: NewAgentRow,
  sql: Sql,
): Promise<AgentInsertion> {
  return await sql.begin(async (transaction) => {
    // Those of one project wait for each other: else each would count too few.
    await transaction.unsafe(LOCK_PROJECT, [agent.sessionId], { prepare: true });
    const outcome = await insertAgent(transaction, agent);
    const parameters = [agent.id, capacity, agent.sessionId];
    const beyond = await transaction.unsafe(DELETE_BEYOND, parameters, { prepare: true });
    return beyond.length > 0 ? 'agent_capacity' : outcome;
  });
}

async function insertAgent(sql: Pick<Sql, 'unsafe'>, agent: NewAgentRow): Promise<AgentInsertion> {
  interface Outcome {
    isActive: boolean;
    isInserted: boolean;
  }
  const { id, sessionId, role, planId, envTemplateId, config, createdBy } = agent;
  const [outcome] = await sql.unsafe<Outcome[]>(
    INSERT,
    [id, sessionId, role, planId, envTemplateId, JSON.stringify(config), createdBy],
    { prepare: true },
  );
  if (outcome?.isInserted) return 'inserted';
  return outcome?.isActive ? 'agent_already_running' : 'session_closed';
}
