import { hasRows, nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { MARK_CONFLICT } from '../followers/follower-marks.ts';
import { MARK_WEBHOOKS_OF_PROJECT_DELETED } from '../followers/webhook-deletion.ts';
import { auditText } from '../operations/audit-events.ts';
import { STOP_AGENTS_OF_SESSIONS } from './session-end.ts';
import { eventText, nextTime } from './session-events.ts';
import { listUnmarkedSessions, type MarkingPlace } from './unmarked-sessions.ts';

// Deletes in two steps. The request marks the rows: from then on they are not found, and a session without its head gets no
// more messages. The rows are deleted later, in batches, each in its own transaction. The mark is the state, so after a
// crash any process finds what is left to delete.

interface Id {
  readonly id: string;
}

const idOf = ({ id }: Id) => id;

export const MARK_PROJECT_DELETED = statement(
  'mark_project_deleted',
  (id: string) => [id],
  hasRows,
)`
update projects set deleted_at = now() where id = $1 and deleted_at is null returning 1`;

export const DELETE_MEMBERSHIPS_OF_PROJECT = statement(
  'delete_memberships_of_project',
  (projectId: string) => [projectId],
  nothing,
)`
delete from memberships where project_id = $1`;

/**
 * Returns the text that marks deleted sessions for their followers, because no other statement marks a session without
 * a head.
 */
function markDeleted(deleted: string, follower: string): string {
  return `
  insert into follower_positions as stored (follower_id, session_id, position, wanted)
  select follower.id, deleted.session_id, follower.starts_at, deleted.seen_at
  from ${deleted} deleted
  join followers follower on follower.status <> 'deleted' and ${follower}
  where deleted.seen_at > follower.starts_at
  order by follower.id, deleted.session_id
  ${MARK_CONFLICT}`;
}

// Locks the heads in the order of ids, as all statements that lock several heads do. Marks only the followers of all projects,
// because the webhooks of the project are deleted with it.
export const DELETE_HEADS = statement(
  'delete_heads',
  (sessionIds: readonly string[]) => [sessionIds],
  nothing,
)`
with deleted as (
  delete from session_heads head where head.session_id in (
    select head.session_id
    from session_heads head
    where head.session_id = any ($1::uuid[])
    order by head.session_id
    for no key update of head
  )
  returning head.session_id, ${nextTime('head')} as seen_at
)
${markDeleted('deleted', 'follower.project_id is null')}`;

export const DELETE_HEAD = statement('delete_head', (sessionId: string) => [sessionId], nothing)`
with deleted as (
  delete from session_heads head
  where head.session_id = $1
  returning head.session_id, ${nextTime('head')} as at
), noted as (${eventText("'session.deleted'", {
  session: 'session.id',
  at: 'deleted.at',
  project: 'session.project_id',
  data: `'{}'::jsonb`,
  from: 'deleted join sessions session on session.id = deleted.session_id',
})}
)
${markDeleted('noted', '(follower.project_id = deleted.project_id or follower.project_id is null)')}`;

function markText(condition: string, closeReason: string): string {
  return `
update sessions set
  status = 'CLOSED',
  close_reason = coalesce(close_reason, '${closeReason}'),
  closed_at = coalesce(closed_at, now()),
  deleted_at = now(),
  updated_at = now()
where ${condition}
  and deleted_at is null
returning pg_notify('session_changed', id::text)`;
}

export const MARK_SESSION_DELETED = statement(
  'mark_session_deleted',
  (id: string, by: string | null) => [id, by],
  hasRows,
)`
with marked as (${markText('id = $1', 'user')}, id, project_id
), audited as (${auditText('session.deleted', {
  project: 'project_id',
  actor: '$2',
  target: 'id',
  from: 'marked',
})}
)
select from marked`;

export const MARK_SESSIONS_DELETED = statement(
  'mark_sessions_deleted',
  (ids: readonly string[]) => [ids],
  nothing,
)`${markText('id = any ($1::uuid[])', 'project_deleted')}`;

/**
 * Deletes up to `limit` messages of a marked session, the oldest first, and returns their number. They are a range of
 * timestamps, so one scan of the index is enough. Timestamps are unique within a session.
 */
export const deleteMessages = statement(
  'delete_messages',
  (sessionId: string, limit: number) => [sessionId, limit],
  rowCount,
)`
delete from messages
where session_id = $1
  and "timestamp" <= (
    select max(oldest."timestamp") from (
      select "timestamp" from messages where session_id = $1 order by "timestamp" limit $2
    ) oldest
  )`;

export const deleteAgentLogs = statement(
  'delete_agent_logs',
  (sessionId: string, limit: number) => [sessionId, limit],
  rowCount,
)`
delete from agent_logs where ctid = any (array(
  select log.place
  from agents agent
  cross join lateral (
    select own.ctid as place from agent_logs own where own.agent_id = agent.id limit $2
  ) log
  where agent.session_id = $1
  limit $2
))`;

export const deleteAgents = statement(
  'delete_agents',
  (sessionId: string, limit: number) => [sessionId, limit],
  rowCount,
)`
delete from agents where id in (
  select id from agents where session_id = $1 order by id limit $2
)`;

/** Deletes a marked session without messages and agents, with everything that belongs to it, and notes its room. */
export const deleteSession = statement('delete_session', (id: string) => [id], nothing)`
with deleted as (
  delete from sessions where id = $1 and deleted_at is not null returning id, project_id
), forgotten as (
  -- Whoever is behind has still to read of its deletion.
  delete from follower_positions followed using deleted, followers follower
  where follower.project_id = deleted.project_id
    and followed.follower_id = follower.id
    and followed.session_id = deleted.id
    and followed.wanted <= followed.position
)
insert into deleted_rooms (session_id)
select id from deleted
on conflict do nothing`;

/** Deletes the marked projects of which nothing else is left, and returns their ids. */
export const deleteProjects = statement(
  'delete_projects',
  () => [],
  (rows: Id[]) => rows.map(idOf),
)`
delete from projects project
where project.deleted_at is not null
  and not exists (select from sessions session where session.project_id = project.id)
  and not exists (
    select from users end_user where end_user.project_id = project.id and end_user.kind = 'end_user'
  )
  and not exists (select from followers follower where follower.project_id = project.id)
  and not exists (select from audit_events event where event.project_id = project.id)
  and not exists (select from erasures erasure where erasure.project_id = project.id)
returning project.id`;

/** Returns those of the rooms whose sessions are deleted, and notes these rooms for another 25 h. */
export const listDeletedRooms = statement(
  'list_deleted_rooms',
  (names: readonly string[]) => [names],
  (rows: Id[]) => rows.map(idOf),
)`
update deleted_rooms set barred_until = default
where session_id = any ($1::uuid[])
returning session_id as id`;

export const forgetDeletedRooms = statement('forget_deleted_rooms', () => [], nothing)`
delete from deleted_rooms where barred_until <= now()`;

/**
 * Marks a session as deleted, closes it, asks its agents to stop, and wakes recorders and reconciler. Returns false when it
 * was marked before. Several statements: each must see what was committed while the one before it waited for a lock.
 */
export async function markSessionDeleted(
  database: DatabaseAccess,
  id: string,
  by?: string,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await DELETE_HEAD(transaction, id);
    const marked = await MARK_SESSION_DELETED(transaction, id, by ?? null);
    await STOP_AGENTS_OF_SESSIONS(transaction, [id]);
    return marked;
  });
}

/** How many sessions of a project one transaction marks. To mark all of them may take longer than a statement may. */
export const MARKED_AT_ONCE = 500;

/**
 * Marks a project, its webhooks and its first sessions in the same way, and deletes its memberships, so that nobody finds
 * the other sessions. These are recorded until `markSessionsOfProject` marks them.
 */
export async function markProjectDeleted(
  database: DatabaseAccess,
  id: string,
  limit = MARKED_AT_ONCE,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    if (!(await MARK_PROJECT_DELETED(transaction, id))) return false;
    // A request that makes a session locks its membership. So once the memberships are gone, all sessions can be seen.
    await DELETE_MEMBERSHIPS_OF_PROJECT(transaction, id);
    await MARK_WEBHOOKS_OF_PROJECT_DELETED(transaction, id);
    await markSessions(transaction, id, { limit });
    return true;
  });
}

export const listDeletedProjects = statement(
  'list_deleted_projects',
  () => [],
  (rows: Id[]) => rows.map(idOf),
)`
select id from projects where deleted_at is not null order by deleted_at, id`;

interface MarkingStep {
  readonly limit?: number;
  readonly place?: MarkingPlace | undefined;
}

/** `next`: the place for the next call; undefined when all sessions are marked. */
export interface MarkedSessions {
  readonly count: number;
  readonly next: MarkingPlace | undefined;
}

export async function markSessionsOfProject(
  database: DatabaseAccess,
  projectId: string,
  step: MarkingStep = {},
): Promise<MarkedSessions> {
  return await inTransaction(
    database,
    async (transaction) => await markSessions(transaction, projectId, step),
  );
}

async function markSessions(
  transaction: DatabaseAccess,
  projectId: string,
  { limit = MARKED_AT_ONCE, place }: MarkingStep,
): Promise<MarkedSessions> {
  const { ids, next } = await listUnmarkedSessions(transaction, projectId, limit, place);
  await DELETE_HEADS(transaction, ids);
  await MARK_SESSIONS_DELETED(transaction, ids);
  await STOP_AGENTS_OF_SESSIONS(transaction, ids);
  return { count: ids.length, next };
}
