import type { Sql } from 'postgres';
import type { Database } from '../client.ts';
import { FINISHED, STOP_AGENTS } from './session-end.ts';

/**
 * Deletes in two steps. The request marks and cuts off: at once nothing of it can be found, and without its head a session
 * gets no more messages. Its rows go later, in batches, each a transaction of its own: the mark is the state, so whoever
 * goes on after a crash finds what is left.
 */
export interface DeletionQueries {
  /** Marks a session as deleted, closes it, asks its agents to stop and tells everybody; false when it was marked before. */
  markSessionDeleted(id: string): Promise<boolean>;
  /** Does so for a project and all its sessions; its members are members no more. */
  markProjectDeleted(id: string): Promise<boolean>;
  /** Gives up to `limit` marked sessions, the first marked first, that no agent and no live recorder needs any more. */
  listDeletedSessions(limit: number): Promise<string[]>;
  /** Deletes up to `limit` messages of a marked session, the oldest first, and gives how many. */
  deleteMessages(sessionId: string, limit: number): Promise<number>;
  /** Deletes a marked session that has no messages, with all that belongs to it, and notes its room. */
  deleteSession(id: string): Promise<void>;
  /** Deletes the marked projects that have no sessions, and gives their ids. */
  deleteProjects(): Promise<string[]>;
  /** Gives those of the rooms whose sessions are deleted; for as long as one is seen, it stays noted. */
  listDeletedRooms(names: readonly string[]): Promise<string[]>;
  /** Forgets the rooms that nobody can have a token for any more. */
  forgetDeletedRooms(): Promise<void>;
}

const MARK_PROJECT = `update projects set deleted_at = now() where id = $1 and deleted_at is null returning 1`;
const DELETE_MEMBERSHIPS = `delete from memberships where project_id = $1`;

// In the order of ids, as everyone who locks several.
const DELETE_HEADS = `
delete from session_heads where session_id in (
  select h.session_id from session_heads h join sessions s on s.id = h.session_id
  where s.project_id = $1 order by h.session_id for no key update of h)`;
const DELETE_HEAD = `delete from session_heads where session_id = $1`;

function markText(condition: string, reason: string): string {
  return `
update sessions set status = 'CLOSED', close_reason = coalesce(close_reason, '${reason}'),
  closed_at = coalesce(closed_at, now()), deleted_at = now(), updated_at = now()
where ${condition} and deleted_at is null returning pg_notify('session_changed', id::text)`;
}

const MARK_SESSION = markText('id = $1', 'user');
const MARK_SESSIONS = markText('project_id = $1', 'project_deleted');
const SESSIONS = `select id from sessions where project_id = $1`;

const LIST = `
select s.id from sessions s
where s.deleted_at is not null and ${FINISHED}
  and not exists (select from agents a where a.session_id = s.id and a.status <> 'Stopped')
order by s.deleted_at, s.id limit $1`;

const DELETE_MESSAGES = `
delete from messages where session_id = $1 and "timestamp" <= (select max(x."timestamp") from (
  select "timestamp" from messages where session_id = $1 order by "timestamp" limit $2) x)`;

const DELETE_SESSION = `
with gone as (delete from sessions where id = $1 and deleted_at is not null returning id)
insert into deleted_rooms (session_id) select id from gone on conflict do nothing`;

const DELETE_PROJECTS = `
delete from projects p
where p.deleted_at is not null and not exists (select from sessions s where s.project_id = p.id) returning p.id`;

const SEE_ROOMS = `
update deleted_rooms set barred_until = default where session_id = any ($1::uuid[]) returning session_id as id`;
const FORGET_ROOMS = `delete from deleted_rooms where barred_until <= now()`;

/** Gives the statements of deletions; they are prepared at their first use on each connection. */
export function prepareDeletionQueries({ sql }: Pick<Database, 'sql'>): DeletionQueries {
  const run = async (query: string, ...parameters: (string | number | readonly string[])[]) =>
    await sql.unsafe<{ id: string }[]>(query, parameters, { prepare: true });
  const ids = async (...query: Parameters<typeof run>) => (await run(...query)).map(({ id }) => id);
  return {
    markSessionDeleted: (id) => markSessionDeleted(sql, id),
    markProjectDeleted: (id) => markProjectDeleted(sql, id),
    listDeletedSessions: (limit) => ids(LIST, limit),
    deleteMessages: async (sessionId, limit) =>
      (await run(DELETE_MESSAGES, sessionId, limit)).count,
    deleteSession: async (id) => void (await run(DELETE_SESSION, id)),
    deleteProjects: () => ids(DELETE_PROJECTS),
    listDeletedRooms: (names) => ids(SEE_ROOMS, names),
    forgetDeletedRooms: async () => void (await run(FORGET_ROOMS)),
  };
}

/** Statements of their own, as each must see what was committed while the one before it waited for a lock. */
async function markSessionDeleted(sql: Sql, id: string): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    await transaction.unsafe(DELETE_HEAD, [id], { prepare: true });
    const marked = await transaction.unsafe(MARK_SESSION, [id], { prepare: true });
    await transaction.unsafe(STOP_AGENTS, [[id]], { prepare: true });
    return marked.length === 1;
  });
}

async function markProjectDeleted(sql: Sql, id: string): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const marked = await transaction.unsafe(MARK_PROJECT, [id], { prepare: true });
    if (marked.length === 0) return false;
    // Whoever makes a session locks their membership: after this there is none that we would not find.
    for (const query of [DELETE_MEMBERSHIPS, DELETE_HEADS, MARK_SESSIONS]) {
      await transaction.unsafe(query, [id], { prepare: true });
    }
    const sessions = await transaction.unsafe<{ id: string }[]>(SESSIONS, [id], { prepare: true });
    const ids = sessions.map((session) => session.id);
    await transaction.unsafe(STOP_AGENTS, [ids], { prepare: true });
    return true;
  });
}
