import {
  type Database,
  migrate,
  openDatabase,
  prepareRecorderQueries,
  prepareSessionQueries,
} from '@session/db';
import { pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { insertFreeSlots } from '../claims/claim-crowd.ts';

/** Fills an empty database with recorders that hold `rooms` sessions each. Returns the ids of the recorders. */
export async function storeFleet(
  url: string,
  { recorders, rooms }: { readonly recorders: number; readonly rooms: number },
): Promise<readonly string[]> {
  await migrate(url);
  await insertFreeSlots(url, recorders * rooms);
  await using database = openDatabase(url, { connections: 1, statementTimeoutMs: 120_000 });
  const { sql } = database;
  const ids = Array.from({ length: recorders }, () => uuidv7());
  const queries = prepareRecorderQueries(database);
  for (const id of ids)
    await queries.startRecorder({ id, capacity: 2 * rooms, roomLimit: 4 * rooms });
  await sql`
    update recording_assignments slot set
      recorder_id = (${ids}::uuid[])[1 + shuffled.position % ${recorders}::int],
      status = 'recording'
    from (
      select session_id, row_number() over () as position from recording_assignments
    ) shuffled
    where slot.session_id = shuffled.session_id`;
  await sql`update recorders set heartbeat_at = now(), load = ${rooms}`;
  await sql`vacuum analyze`;
  return ids;
}

/** Creates sessions until `stop` aborts. Returns when each was asked for, in milliseconds since the epoch. */
export async function createSessions(
  database: Database,
  everyMs: number,
  stop: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sessions = prepareSessionQueries(database);
  const [row] = await database.sql`select id, owner_id from projects join lateral (
    select user_id as owner_id from memberships where project_id = projects.id limit 1
  ) owner on true limit 1`;
  const [projectId, userId] = [String(row?.['id']), String(row?.['owner_id'])];
  const created = new Map<string, number>();
  const began = performance.now();
  // At fixed times: a slow answer must not make sessions rarer.
  for (;;) {
    const nextAt = began + (created.size + 1) * everyMs;
    // The last one before the end could not be claimed in time.
    if (!(await pause(Math.max(0, nextAt - performance.now()), stop))) return created;
    const id = uuidv7();
    created.set(id, Date.now());
    await sessions.insertSession({ id, projectId, name: 'new', createdBy: userId });
  }
}

/** Returns the pids of all processes of the server that a connection or the server itself has. */
export async function backendsOf({ sql }: Database): Promise<number[]> {
  const rows = await sql`select pid from pg_stat_activity`;
  return rows.map(({ pid }) => Number(pid));
}
