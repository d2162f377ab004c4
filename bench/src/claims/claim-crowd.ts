import {
  type Database,
  openDatabase,
  prepareProjectQueries,
  prepareRecorderQueries,
  prepareSlotQueries,
  prepareUserQueries,
} from '@session/db';
import { v7 as uuidv7 } from 'uuid';

export interface Crowd {
  readonly sessions: number;
  readonly recorders: number;
  /** How many of them are dead, with an equal share of all slots, which the others claim. 0: all slots are free. */
  readonly dead: number;
  /** How many connections all recorders share: a machine with two cores does not serve more at once. */
  readonly connections: number;
  readonly capacity: number;
}

export interface CrowdResult {
  /** How long each claim took, with the wait for its connection. */
  readonly claimsMs: readonly number[];
  readonly totalMs: number;
  /** How many slots are still free. */
  readonly left: number;
  /** How many slots each recorder has. */
  readonly loads: readonly number[];
}

/** How many slots a recorder claims at once. */
const STEP = 16;

/** Stores that many free slots in an empty, migrated database. */
export async function insertFreeSlots(url: string, count: number): Promise<void> {
  await using database = openDatabase(url, { connections: 1, statementTimeoutMs: 120_000 });
  const { sql } = database;
  const [ownerId, projectId] = [uuidv7(), uuidv7()];
  const user = { id: ownerId, name: 'Bench', email: 'bench@example.org', passwordHash: '-' };
  await prepareUserQueries(database).insertUser(user);
  const project = { id: projectId, name: 'bench', membershipId: uuidv7(), ownerId };
  await prepareProjectQueries(database).insertProject(project);
  await sql`
    insert into sessions (id, project_id, name, created_by)
    select uuidv7(), ${projectId}, 'bench', ${ownerId} from generate_series(1, ${count}::int)`;
  // A tenth of the sessions has messages.
  await sql`
    insert into session_heads (session_id, last_at, message_count)
    select id, created_at, (row_number() over (order by random()) % 10 = 0)::int from sessions`;
  await sql`insert into recording_assignments (session_id) select id from sessions`;
  await sql`analyze`;
}

/** Has all live recorders claim at the same time until no slot is left to claim, or `stop` aborts. */
export async function claimAtOnce(
  url: string,
  crowd: Crowd,
  stop: AbortSignal,
): Promise<CrowdResult> {
  const { connections, capacity } = crowd;
  await using stack = new AsyncDisposableStack();
  const open = () => stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 }));
  const databases = Array.from({ length: connections }, open);
  const [first = open()] = databases;
  const live = await prepareCrowd(first, crowd);
  const claimers = live.map((id, index) => {
    const database = databases[index % connections] ?? first;
    return { id, queries: prepareSlotQueries(database), held: 0 };
  });
  const claimsMs: number[] = [];
  const began = performance.now();
  const claim = async (claimer: (typeof claimers)[number]) => {
    while (!stop.aborted) {
      const sentAt = performance.now();
      const claimed = await claimer.queries.claimSlots({
        recorderId: claimer.id,
        limit: STEP,
        capacity,
      });
      claimsMs.push(performance.now() - sentAt);
      claimer.held += claimed.length;
      if (claimed.length === 0) return;
    }
  };
  await Promise.all(claimers.map(claim));
  const totalMs = performance.now() - began;
  const [row] = await first.sql`
    select count(*)::int as left from recording_assignments
    where recorder_id is null or recorder_id <> all (${live}::uuid[])`;
  return {
    claimsMs,
    totalMs,
    left: Number(row?.['left']),
    loads: claimers.map(({ held }) => held),
  };
}

/** Stores the recorders and what each of them holds. Returns the ids of the live recorders. */
async function prepareCrowd(
  database: Database,
  { recorders, dead, capacity }: Crowd,
): Promise<string[]> {
  const { sql } = database;
  const ids = Array.from({ length: recorders }, () => uuidv7());
  await sql`delete from recorders`;
  for (const id of ids) {
    const start = { id, capacity, roomLimit: 2 * capacity };
    await prepareRecorderQueries(database).startRecorder(start);
  }
  const live = ids.slice(dead);
  // Recorders beat while they claim.
  await sql`
    update recorders set heartbeat_at = now()
      + case when id = any (${live}::uuid[]) then interval '10 min' else interval '-1 min' end`;
  const holders = dead > 0 ? ids : [];
  await sql`
    update recording_assignments slot set
      recorder_id = (${holders}::uuid[])[1 + shuffled.position % ${recorders}::int],
      status = 'waiting',
      last_message_at = null
    from (
      select session_id, row_number() over (order by random()) as position from recording_assignments
    ) shuffled
    where slot.session_id = shuffled.session_id`;
  await sql`
    update recorders set load = (
      select count(*) from recording_assignments held where held.recorder_id = recorders.id
    )`;
  await sql`vacuum analyze recording_assignments`;
  return live;
}
