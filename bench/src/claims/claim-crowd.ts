import {
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
  await sql`insert into session_heads (session_id, last_at) select id, created_at from sessions`;
  await sql`insert into recording_assignments (session_id) select id from sessions`;
  await sql`analyze`;
}

/** Frees all slots, then has all recorders claim at the same time until nothing is left or `stop` aborts. */
export async function claimAtOnce(
  url: string,
  { recorders, connections, capacity }: Crowd,
  stop: AbortSignal,
): Promise<CrowdResult> {
  await using stack = new AsyncDisposableStack();
  const open = () => stack.use(openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 }));
  const databases = Array.from({ length: connections }, open);
  const [first = open()] = databases;
  await first.sql`delete from recorders`;
  await first.sql`update recording_assignments set recorder_id = null, status = 'waiting'`;
  await first.sql`vacuum analyze recording_assignments`;
  const claimers = Array.from({ length: recorders }, (_, index) => {
    const database = databases[index % connections] ?? first;
    return { id: uuidv7(), queries: prepareSlotQueries(database), held: 0 };
  });
  for (const { id } of claimers) {
    const start = { id, capacity, roomLimit: 2 * capacity };
    await prepareRecorderQueries(first).startRecorder(start);
  }
  // Recorders beat while they claim.
  await first.sql`update recorders set heartbeat_at = now() + interval '10 min'`;
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
    select count(*)::int as left from recording_assignments where recorder_id is null`;
  return {
    claimsMs,
    totalMs,
    left: Number(row?.['left']),
    loads: claimers.map(({ held }) => held),
  };
}
