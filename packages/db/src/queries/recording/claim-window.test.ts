import { expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { startRecorder } from '../../../testing/recorders.ts';
import { openDatabase } from '../../client.ts';
import { prepareSlotQueries, type SlotRow } from './slots.ts';

const FREE = 20_000;
const CLAIM = { limit: 16, capacity: 220 };

/** Stores so many free slots of sessions in which nobody ever was. */
async function insertFreeSlots({ sql, projectId, userId }: TestProject): Promise<void> {
  await sql`
    insert into sessions (id, project_id, name, created_by)
    select uuidv7(), ${projectId}, 'a talk', ${userId} from generate_series(1, ${FREE}::int)`;
  await sql`insert into session_heads (session_id, last_at) select id, created_at - interval '1 day' from sessions`;
  await sql`insert into recording_assignments (session_id) select id from sessions`;
  await sql`analyze`;
}

test('20,000 free slots and 100 recorders: each slot is claimed once', async () => {
  await using project = await createTestProject();
  await insertFreeSlots(project);
  const recorders: string[] = [];
  while (recorders.length < 100) recorders.push(await startRecorder(project, 220, 440));
  await project.sql`update recorders set heartbeat_at = now() + interval '10 min'`;
  const taken: string[] = [];
  const claimAll = async (url: string, ids: readonly string[]) => {
    await using own = openDatabase(url, { connections: 1, statementTimeoutMs: 30_000 });
    const slots = prepareSlotQueries(own);
    for (const recorderId of ids) {
      let claimed: SlotRow[];
      do {
        claimed = await slots.claimSlots({ recorderId, ...CLAIM });
        taken.push(...claimed.map(({ sessionId }) => sessionId));
      } while (claimed.length > 0);
    }
  };
  const shares = Array.from({ length: 20 }, (_, index) =>
    recorders.slice(5 * index, 5 * index + 5),
  );
  await Promise.all(shares.map((share) => claimAll(project.url, share)));
  // A claim finds nothing while others hold its whole window: the next round finds it.
  await claimAll(project.url, recorders);
  expect([taken.length, new Set(taken).size]).toEqual([FREE, FREE]);
}, 60_000);

test('no claim waits for another: with the locks of five claims held, the next gets as many slots, of other sessions', async () => {
  await using project = await createTestProject();
  await insertFreeSlots(project);
  const taken: string[] = [];
  // Its statements fail after 3 s of waiting for a lock.
  const claimBeside = async (others: number): Promise<void> => {
    const recorderId = await startRecorder(project, 220, 440);
    await using own = openDatabase(project.url, { connections: 1 });
    await own.sql.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = 0`;
      const claimed = await prepareSlotQueries({ sql }).claimSlots({ recorderId, ...CLAIM });
      taken.push(...claimed.map(({ sessionId }) => sessionId));
      if (others > 0) await claimBeside(others - 1);
    });
  };
  await startRecorder(project, 220, 440);
  await claimBeside(5);
  expect(new Set(taken).size).toBe(6 * CLAIM.limit);
}, 30_000);

test('among 20,000 free slots a room that was busy when its recorder left comes first', async () => {
  await using project = await createTestProject();
  await insertFreeSlots(project);
  const former = await startRecorder(project, FREE);
  const busy = await project.newSessions(3);
  for (const [minutes, sessionId] of busy.entries()) {
    await project.sql`
      update recording_assignments set recorder_id = ${former}, epoch = 1 where session_id = ${sessionId}`;
    await project.sql`
      update session_heads set message_count = 1, last_at = now() - ${minutes}::int * interval '1 min'
      where session_id = ${sessionId}`;
    await prepareSlotQueries(project).releaseSlot({
      sessionId,
      slotNumber: 0,
      recorderId: former,
      epoch: 1,
    });
  }
  const recorderId = await startRecorder(project, 220);
  const slots = prepareSlotQueries(project);
  const claimed: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const [slot] = await slots.claimSlots({ recorderId, ...CLAIM, limit: 1 });
    claimed.push(slot?.sessionId ?? '');
  }
  expect(claimed).toEqual(busy);
}, 30_000);
