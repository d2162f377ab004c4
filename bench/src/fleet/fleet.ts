import {
  type Database,
  listenForChanges,
  migrate,
  openDatabase,
  prepareRecorderQueries,
  prepareSessionQueries,
  prepareSlotQueries,
} from '@session/db';
import { pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { insertFreeSlots } from '../claims/claim-crowd.ts';
import { cpuMsOf } from './process-cpu.ts';
import { SimulatedRecorder, type Times } from './simulated-recorder.ts';

export interface Fleet {
  readonly recorders: number;
  /** How many sessions each recorder holds. */
  readonly rooms: number;
  /** How many connections all recorders share. */
  readonly connections: number;
  /** The time between two new sessions, each of which wakes all recorders. */
  readonly newSessionEveryMs: number;
  readonly durationMs: number;
}

export interface FleetResult extends Times {
  /** From the request for a new session until a recorder has claimed it. */
  readonly claimedMs: readonly number[];
  /** New sessions that no recorder had claimed at the end. */
  readonly unclaimed: number;
  readonly elapsedMs: number;
  /** The CPU time of the database's processes; NaN where the system does not say. */
  readonly databaseCpuMs: number;
}

/** Fills an empty database with recorders and what they hold, then lets them beat, look for slots and be woken for a while. */
export async function runFleet(url: string, fleet: Fleet, stop: AbortSignal): Promise<FleetResult> {
  await migrate(url);
  await insertFreeSlots(url, fleet.recorders * fleet.rooms);
  await using stack = new AsyncDisposableStack();
  const open = () => stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 120_000 }));
  const databases = Array.from({ length: fleet.connections }, open);
  const [first = open()] = databases;
  const ids = await storeRecorders(first, fleet);
  const times: { [Name in keyof Times]: number[] } = { heartbeatsMs: [], roundsMs: [] };
  const claimedAt = new Map<string, number>();
  const claimed = (sessionId: string) => void claimedAt.set(sessionId, performance.now());
  const all = ids.map((id, index) => {
    const database = databases[index % databases.length] ?? first;
    return new SimulatedRecorder({
      id,
      otherRecorders: fleet.recorders - 1,
      slots: prepareSlotQueries(database),
      recorders: prepareRecorderQueries(database),
      times,
      claimed,
    });
  });
  stack.use(
    listenForChanges(url, ['session_changed'], {
      onChange: () => {
        for (const recorder of all) recorder.notified();
      },
      onListening: () => {},
    }),
  );
  const creator = open();
  // Each opens its connection at its first statement.
  await Promise.all([...databases, creator].map(({ sql }) => sql`select 1`));
  const pids = await backends(first);
  const [began, cpuBefore] = [performance.now(), await cpuMsOf(pids)];
  const ending = AbortSignal.any([stop, AbortSignal.timeout(fleet.durationMs)]);
  const creating = createSessions(creator, fleet, ending);
  await Promise.all(all.map((recorder) => recorder.run(ending)));
  const created = await creating;
  const claimedMs = [...created].flatMap(
    ([id, at]) => (claimedAt.get(id) ?? Number.NaN) - at || [],
  );
  return {
    ...times,
    claimedMs,
    unclaimed: created.size - claimedMs.length,
    elapsedMs: performance.now() - began,
    databaseCpuMs: (await cpuMsOf(pids)) - cpuBefore,
  };
}

async function storeRecorders(
  database: Database,
  { recorders, rooms }: Fleet,
): Promise<readonly string[]> {
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

/** Creates sessions until `stop` aborts. Returns when each was asked for. */
async function createSessions(
  database: Database,
  { newSessionEveryMs }: Fleet,
  stop: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sessions = prepareSessionQueries(database);
  const [row] = await database.sql`select id, owner_id from projects join lateral (
    select user_id as owner_id from memberships where project_id = projects.id limit 1
  ) owner on true limit 1`;
  const [projectId, userId] = [String(row?.['id']), String(row?.['owner_id'])];
  const created = new Map<string, number>();
  // The last one before the end could not be claimed in time.
  while (await pause(newSessionEveryMs, stop)) {
    const id = uuidv7();
    created.set(id, performance.now());
    await sessions.insertSession({ id, projectId, name: 'new', createdBy: userId });
  }
  return created;
}

async function backends({ sql }: Database): Promise<number[]> {
  const rows = await sql`select pid from pg_stat_activity`;
  return rows.map(({ pid }) => Number(pid));
}
