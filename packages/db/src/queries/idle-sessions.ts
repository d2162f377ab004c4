import type { Database } from '../client.ts';

export interface IdleSessionQueries {
  /** Gives those of the sessions that are ACTIVE. */
  listActiveSessions(ids: readonly string[]): Promise<string[]>;
  /** Notes that somebody is in the rooms of the sessions now. */
  markAttended(ids: readonly string[]): Promise<void>;
  /**
   * Gives ACTIVE sessions that nobody was seen in for `idleMs`, or since they were made, and in whose history nobody came,
   * left or spoke in that time: it tells of what happened while nobody looked, and of who speaks without being in the room.
   */
  listIdleSessions(idleMs: number): Promise<string[]>;
}

const LIST_ACTIVE = `
select id from sessions where id = any ($1::uuid[]) and status = 'ACTIVE' and deleted_at is null`;

const MARK_ATTENDED = `update sessions set attended_at = now() where id = any ($1::uuid[]) and status = 'ACTIVE'`;

const LIST_IDLE = `
select s.id from sessions s
where s.status = 'ACTIVE' and s.deleted_at is null
  and coalesce(s.attended_at, s.created_at) <= now() - $1 * interval '1 ms'
  and not exists (select from messages m
    where m.session_id = s.id and m."timestamp" > now() - $1 * interval '1 ms'
      and (m.role = 'user' or m.metadata #>> '{participant,identity}' like 'user-%'))
order by s.id limit 1000`;

/** Gives the statements on idle sessions; they are prepared at their first use on each connection. */
export function prepareIdleSessionQueries({ sql }: Pick<Database, 'sql'>): IdleSessionQueries {
  const run = async (query: string, parameter: number | readonly string[]) => {
    const rows = await sql.unsafe<{ id: string }[]>(query, [parameter], { prepare: true });
    return rows.map(({ id }) => id);
  };
  return {
    listActiveSessions: (ids) => run(LIST_ACTIVE, ids),
    markAttended: async (ids) => void (await run(MARK_ATTENDED, ids)),
    listIdleSessions: (idleMs) => run(LIST_IDLE, idleMs),
  };
}
