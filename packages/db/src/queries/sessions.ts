import type { Sql } from 'postgres';
import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import type { sessions } from '../schema/sessions.ts';
import type { MemberRole } from './memberships.ts';
import { RECORDING_STATE, type RecordingStatus } from './recording-state.ts';
import { FINISHED, STOP_AGENTS } from './session-end.ts';

type SessionColumns = typeof sessions.$inferSelect;
export type SessionStatus = SessionColumns['status'];
export type CloseReason = NonNullable<SessionColumns['closeReason']>;

/** A session with the newest of its recording. All times are ISO 8601, UTC, milliseconds. */
export interface SessionRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly status: SessionStatus;
  readonly closeReason: CloseReason | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly messageCount: number;
  /** Null while there is no message. */
  readonly lastMessageAt: string | null;
  /** What the best of its recorders does; null when none is wanted any more. */
  readonly recordingStatus: RecordingStatus | null;
  readonly connectedAt: string | null;
}

export interface SessionPage {
  /** What the reader is in the project. */
  readonly memberRole: MemberRole;
  /** False when the cursor is no session of the project; then there are no `sessions`. */
  readonly isCursorKnown: boolean;
  readonly sessions: SessionRow[];
}

export interface SessionQueries {
  /**
   * Stores an ACTIVE session with all that recording needs, and tells the recorders; gives false, and stores nothing, when
   * its maker is no member of the project.
   */
  insertSession(session: {
    id: string;
    projectId: string;
    name: string;
    createdBy: string;
  }): Promise<boolean>;
  /** Gives the session and what the user is in its project, or undefined: unknown, deleted and foreign ones look the same. */
  findSession(key: {
    id: string;
    userId: string;
  }): Promise<(SessionRow & { memberRole: MemberRole }) | undefined>;
  /**
   * Gives up to `limit` of a project's sessions, the newest first, beginning after the session `cursor`; undefined when
   * the user is no member of the project.
   */
  listSessions(page: {
    projectId: string;
    userId: string;
    status: SessionStatus | undefined;
    cursor: string | undefined;
    limit: number;
  }): Promise<SessionPage | undefined>;
  /**
   * Closes an ACTIVE session, asks its agents to stop, and tells recorders and reconciler; gives false when it was closed
   * before.
   */
  closeSession(id: string, reason: CloseReason): Promise<boolean>;
  /** Gives the session another name, unless it is deleted. */
  renameSession(id: string, name: string): Promise<void>;
  /** Whether there is a session of that id, and it is ACTIVE. */
  isSessionActive(id: string): Promise<boolean>;
  /** Gives those of the sessions that are CLOSED and that no live recorder holds any more, or CLOSED for 9 s. */
  listFinishedSessions(ids: readonly string[]): Promise<string[]>;
}

const INSERT = `
with s as (
  insert into sessions (id, project_id, name, created_by)
  -- The lock lets a deletion of the project wait for us, and then find this session.
  select $1::uuid, mb.project_id, $3, mb.user_id from memberships mb
  where mb.project_id = $2 and mb.user_id = $4 for key share
  returning id, created_at
), h as (insert into session_heads (session_id, last_at) select id, created_at from s),
a as (insert into recording_assignments (session_id) select id from s)
select pg_notify('session_changed', id::text) from s`;

const COLUMNS = `s.id, s.project_id as "projectId", s.name, s.status, s.close_reason as "closeReason",
  s.created_by as "createdBy", s.created_at as "createdAt", s.updated_at as "updatedAt", s.closed_at as "closedAt",
  h.message_count as "messageCount", h.last_at as "lastAt", a.status as "recordingStatus", a.connected_at as "connectedAt"`;

const FIND = `
select mb.role as "memberRole", ${COLUMNS}
from sessions s
join memberships mb on mb.project_id = s.project_id and mb.user_id = $2
join session_heads h on h.session_id = s.id ${RECORDING_STATE}
where s.id = $1 and s.deleted_at is null`;

function listText(hasCursor: boolean): string {
  return `
select ${hasCursor ? 'c.id is not null' : 'true'} as "isCursorKnown", mb.role as "memberRole", p.*
from memberships mb
${hasCursor ? 'left join sessions c on c.id = $5 and c.project_id = $1 and c.deleted_at is null' : ''}
left join lateral (
  select ${COLUMNS} from sessions s
  join session_heads h on h.session_id = s.id ${RECORDING_STATE}
  where s.project_id = $1 and s.deleted_at is null and ($3::text is null or s.status = $3)
  ${hasCursor ? 'and (s.created_at, s.id) < (c.created_at, c.id)' : ''}
  order by s.created_at desc, s.id desc limit $4) p on true
where mb.project_id = $1 and mb.user_id = $2 order by p."createdAt" desc, p.id desc`;
}

const FIRST_PAGE = listText(false);
const NEXT_PAGE = listText(true);

const CLOSE = `
update sessions set status = 'CLOSED', close_reason = $2, closed_at = now(), updated_at = now()
where id = $1 and status = 'ACTIVE' returning pg_notify('session_changed', id::text)`;

const RENAME = `update sessions set name = $2, updated_at = now() where id = $1 and deleted_at is null`;

const IS_ACTIVE = `select from sessions where id = $1 and status = 'ACTIVE' and deleted_at is null`;

const LIST_FINISHED = `select s.id from sessions s where s.id = any ($1::uuid[]) and ${FINISHED}`;

/** Gives the statements on `sessions`; they are prepared at their first use on each connection. */
export function prepareSessionQueries({ sql }: Pick<Database, 'sql'>): SessionQueries {
  const prepare = true;
  return {
    async insertSession({ id, projectId, name, createdBy }) {
      const rows = await sql.unsafe(INSERT, [id, projectId, name, createdBy], { prepare });
      return rows.length === 1;
    },
    async findSession({ id, userId }) {
      type Found = StoredSession & { memberRole: MemberRole };
      const [found] = await sql.unsafe<Found[]>(FIND, [id, userId], { prepare });
      return found && { ...sessionRow(found), memberRole: found.memberRole };
    },
    async listSessions({ projectId, userId, status = null, cursor, limit }) {
      type Listed = Omit<SessionPage, 'sessions'> & (StoredSession | { id: null });
      const shared = [projectId, userId, status, limit];
      const rows = await (cursor === undefined
        ? sql.unsafe<Listed[]>(FIRST_PAGE, shared, { prepare })
        : sql.unsafe<Listed[]>(NEXT_PAGE, [...shared, cursor], { prepare }));
      const [first] = rows;
      if (!first) return undefined;
      const { memberRole, isCursorKnown } = first;
      const found = rows.flatMap((row) => (row.id === null ? [] : sessionRow(row)));
      return { memberRole, isCursorKnown, sessions: found };
    },
    closeSession: (id, reason) => closeSession(sql, id, reason),
    renameSession: async (id, name) => void (await sql.unsafe(RENAME, [id, name], { prepare })),
    isSessionActive: async (id) => (await sql.unsafe(IS_ACTIVE, [id], { prepare })).length > 0,
    async listFinishedSessions(ids) {
      const rows = await sql.unsafe<{ id: string }[]>(LIST_FINISHED, [ids], {
        prepare,
      });
      return rows.map(({ id }) => id);
    },
  };
}

/**
 * Two statements, as the second must see what was committed while the first waited for its lock: an agent that is
 * inserted at the same moment holds that lock.
 */
async function closeSession(sql: Sql, id: string, reason: CloseReason): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const closed = await transaction.unsafe(CLOSE, [id, reason], { prepare: true });
    if (closed.length === 0) return false;
    await transaction.unsafe(STOP_AGENTS, [[id]], { prepare: true });
    return true;
  });
}

/** A row as it comes: times in PostgreSQL's text, the count as a string. */
interface StoredSession extends Omit<SessionRow, 'messageCount' | 'lastMessageAt'> {
  readonly messageCount: string;
  readonly lastAt: string;
}

function sessionRow(stored: StoredSession): SessionRow {
  const messageCount = Number(stored.messageCount);
  return {
    id: stored.id,
    projectId: stored.projectId,
    name: stored.name,
    status: stored.status,
    closeReason: stored.closeReason,
    createdBy: stored.createdBy,
    createdAt: isoFromText(stored.createdAt),
    updatedAt: isoFromText(stored.updatedAt),
    closedAt: stored.closedAt && isoFromText(stored.closedAt),
    messageCount,
    lastMessageAt: messageCount > 0 ? isoFromText(stored.lastAt) : null,
    recordingStatus: stored.recordingStatus,
    connectedAt: stored.connectedAt && isoFromText(stored.connectedAt),
  };
}
