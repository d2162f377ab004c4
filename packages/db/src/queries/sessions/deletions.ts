import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { MARK_CONFLICT } from '../followers/follower-marks.ts';
import { auditText } from '../operations/audit-events.ts';
import { isFinished, STOP_AGENTS_OF_SESSIONS } from './session-end.ts';
import { eventText, nextTime } from './session-events.ts';

// Deletes in two steps. The request marks the rows: at once nobody finds them, and a session without its head gets no more
// messages. The rows go later, in batches, each its own transaction. The mark is the state, so after a crash any
// process finds what is left to delete.

interface Id {
  readonly id: string;
}

const idOf = ({ id }: Id) => id;

export const MARK_PROJECT_DELETED = statement<[id: string]>(
  'mark_project_deleted',
  `update projects set deleted_at = now() where id = $1 and deleted_at is null returning 1`,
);

export const DELETE_MEMBERSHIPS_OF_PROJECT = statement<[projectId: string]>(
  'delete_memberships_of_project',
  `delete from memberships where project_id = $1`,
);

/** Marks a deleted session for its followers: of a session without a head nobody else does. */
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

// In the order of ids, as all statements that lock several heads. The webhooks of the project are deleted with it.
export const DELETE_HEADS_OF_PROJECT = statement<[projectId: string]>(
  'delete_heads_of_project',
  `
with deleted as (
  delete from session_heads head where head.session_id in (
    select head.session_id
    from session_heads head
    join sessions session on session.id = head.session_id
    where session.project_id = $1
    order by head.session_id
    for no key update of head
  )
  returning head.session_id, ${nextTime('head')} as seen_at
)
${markDeleted('deleted', 'follower.project_id is null')}`,
);

export const DELETE_HEAD = statement<[sessionId: string]>(
  'delete_head',
  `
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
${markDeleted('noted', '(follower.project_id = deleted.project_id or follower.project_id is null)')}`,
);

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

export const MARK_SESSION_DELETED = statement<[id: string, by: string | null]>(
  'mark_session_deleted',
  `
with marked as (${markText('id = $1', 'user')}, id, project_id
), audited as (${auditText('session.deleted', {
    project: 'project_id',
    actor: '$2',
    target: 'id',
    from: 'marked',
  })}
)
select from marked`,
);

export const MARK_SESSIONS_OF_PROJECT_DELETED = statement<[projectId: string]>(
  'mark_sessions_of_project_deleted',
  markText('project_id = $1', 'project_deleted'),
);

export const LIST_SESSIONS_OF_PROJECT = statement<[projectId: string], Id>(
  'list_sessions_of_project',
  `select id from sessions where project_id = $1`,
);

export const LIST_DELETED_SESSIONS = statement<[limit: number], Id>(
  'list_deleted_sessions',
  `
select session.id
from sessions session
where session.deleted_at is not null
  and ${isFinished('session')}
  and not exists (
    select from agents agent where agent.session_id = session.id and agent.status <> 'Stopped'
  )
order by session.deleted_at, session.id
limit $1`,
);

/** Returns up to `limit` marked sessions that no agent and no live recorder needs any more, the first marked first. */
export async function listDeletedSessions(
  database: DatabaseAccess,
  limit: number,
): Promise<string[]> {
  return (await LIST_DELETED_SESSIONS.run(database, limit)).map(idOf);
}

// A range of timestamps, which one scan of the index deletes. Timestamps are unique within a session.
export const DELETE_MESSAGES = statement<[sessionId: string, limit: number]>(
  'delete_messages',
  `
delete from messages
where session_id = $1
  and "timestamp" <= (
    select max(oldest."timestamp") from (
      select "timestamp" from messages where session_id = $1 order by "timestamp" limit $2
    ) oldest
  )`,
);

/** Deletes up to `limit` messages of a marked session, the oldest first, and returns their number. */
export async function deleteMessages(
  database: DatabaseAccess,
  sessionId: string,
  limit: number,
): Promise<number> {
  return (await DELETE_MESSAGES.run(database, sessionId, limit)).count;
}

export const DELETE_SESSION = statement<[id: string]>(
  'delete_session',
  `
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
on conflict do nothing`,
);

/** Deletes a marked session that has no messages, with all that belongs to it, and notes its room. */
export async function deleteSession(database: DatabaseAccess, id: string): Promise<void> {
  await DELETE_SESSION.run(database, id);
}

export const DELETE_PROJECTS = statement<[], Id>(
  'delete_projects',
  `
delete from projects project
where project.deleted_at is not null
  and not exists (select from sessions session where session.project_id = project.id)
  and not exists (
    select from users end_user where end_user.project_id = project.id and end_user.kind = 'end_user'
  )
  and not exists (select from followers follower where follower.project_id = project.id)
  and not exists (select from audit_events event where event.project_id = project.id)
returning project.id`,
);

/** Deletes the marked projects that have neither sessions, end users nor audit events, and returns their ids. */
export async function deleteProjects(database: DatabaseAccess): Promise<string[]> {
  return (await DELETE_PROJECTS.run(database)).map(idOf);
}

export const LIST_DELETED_ROOMS = statement<[names: readonly string[]], Id>(
  'list_deleted_rooms',
  `
update deleted_rooms set barred_until = default
where session_id = any ($1::uuid[])
returning session_id as id`,
);

/** Returns those of the rooms whose sessions are deleted, and notes them for 25 h more. */
export async function listDeletedRooms(
  database: DatabaseAccess,
  names: readonly string[],
): Promise<string[]> {
  return (await LIST_DELETED_ROOMS.run(database, names)).map(idOf);
}

export const FORGET_DELETED_ROOMS = statement<[]>(
  'forget_deleted_rooms',
  `delete from deleted_rooms where barred_until <= now()`,
);

export async function forgetDeletedRooms(database: DatabaseAccess): Promise<void> {
  await FORGET_DELETED_ROOMS.run(database);
}

/**
 * Marks a session as deleted, closes it, asks its agents to stop and wakes all; false when it was marked before.
 * Several statements: each must see what was committed while the one before waited for a lock.
 */
export async function markSessionDeleted(
  database: DatabaseAccess,
  id: string,
  by?: string,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await DELETE_HEAD.run(transaction, id);
    const marked = await MARK_SESSION_DELETED.run(transaction, id, by ?? null);
    await STOP_AGENTS_OF_SESSIONS.run(transaction, [id]);
    return marked.length === 1;
  });
}

/** Marks a project and its sessions likewise, and deletes its memberships. */
export async function markProjectDeleted(database: DatabaseAccess, id: string): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    const marked = await MARK_PROJECT_DELETED.run(transaction, id);
    if (marked.length === 0) return false;
    // A request that makes a session locks its membership. So once the memberships are gone, all sessions can be seen.
    await DELETE_MEMBERSHIPS_OF_PROJECT.run(transaction, id);
    await DELETE_HEADS_OF_PROJECT.run(transaction, id);
    await MARK_SESSIONS_OF_PROJECT_DELETED.run(transaction, id);
    const sessions = await LIST_SESSIONS_OF_PROJECT.run(transaction, id);
    await STOP_AGENTS_OF_SESSIONS.run(
      transaction,
      sessions.map((session) => session.id),
    );
    return true;
  });
}
