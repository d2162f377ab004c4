import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import { CLAIM_SLOTS } from './claim-slots.ts';
import { claimSlots, releaseSlot, type SlotRow } from './slots.ts';

const FREE = 8000;
/** More than all windows of a test together. */
const SOME = 5000;
const CLAIM = { limit: 16, capacity: 220 };

/** Stores `count` free slots of sessions that nobody ever joined. */
async function insertFreeSlots(
  { fill, projectId, userId }: TestProject,
  count = FREE,
): Promise<void> {
  await fill`
    insert into sessions (id, project_id, name, created_by)
    select uuidv7(), ${projectId}, 'a talk', ${userId} from generate_series(1, ${count}::int)`;
  await fill`insert into session_heads (session_id, last_at) select id, created_at - interval '1 day' from sessions`;
  await fill`insert into recording_assignments (session_id) select id from sessions`;
  await fill`analyze`;
}

test('5000 free slots and 40 recorders, 20 at a time: each slot is claimed once', async ({
  project,
}) => {
  await insertFreeSlots(project, SOME);
  const recorders: string[] = [];
  while (recorders.length < 40) recorders.push(await addRecorder(project, 220, 440));
  const taken: string[] = [];
  const claimAll = async (url: string, ids: readonly string[]) => {
    await using own = openDatabase(url, { connections: 1, statementTimeoutMs: 30_000 });
    for (const recorderId of ids) {
      let claimed: SlotRow[];
      do {
        claimed = await claimSlots(own, { recorderId, ...CLAIM });
        taken.push(...claimed.map(({ sessionId }) => sessionId));
      } while (claimed.length > 0);
    }
  };
  const shares = Array.from({ length: 20 }, (_, index) =>
    recorders.slice(2 * index, 2 * index + 2),
  );
  await Promise.all(shares.map((share) => claimAll(project.url, share)));
  // A claim finds nothing while others hold its whole window. The next round finds what is left.
  await claimAll(project.url, recorders);
  expect([taken.length, new Set(taken).size]).toEqual([SOME, SOME]);
});

test('no claim waits for another: with the locks of five claims held, the next gets as many slots, of other sessions', async ({
  project,
}) => {
  await insertFreeSlots(project, SOME);
  const taken: string[] = [];
  // Its statements fail after 3 s of waiting for a lock.
  const claimBeside = async (others: number): Promise<void> => {
    const recorderId = await addRecorder(project, 220, 440);
    await using own = openDatabase(project.url, { connections: 1 });
    await own.sql.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = 0`;
      const claimed = await claimSlots({ sql }, { recorderId, ...CLAIM });
      taken.push(...claimed.map(({ sessionId }) => sessionId));
      if (others > 0) await claimBeside(others - 1);
    });
  };
  await addRecorder(project, 220, 440);
  await claimBeside(5);
  expect(new Set(taken).size).toBe(6 * CLAIM.limit);
});

test('among 8,000 free slots a room that was busy when its recorder left comes first', async ({
  project,
}) => {
  await insertFreeSlots(project);
  const former = await addRecorder(project, FREE);
  const busy = await project.newSessions(3);
  for (const [minutes, sessionId] of busy.entries()) {
    await project.sql`
      update recording_assignments set recorder_id = ${former}, epoch = 1 where session_id = ${sessionId}`;
    await project.sql`
      update session_heads set message_count = 1, last_at = now() - ${minutes}::int * interval '1 min'
      where session_id = ${sessionId}`;
    await releaseSlot(project, {
      sessionId,
      slotNumber: 0,
      recorderId: former,
      epoch: 1,
    });
  }
  const recorderId = await addRecorder(project, 220);
  const claimed: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const [slot] = await claimSlots(project, { recorderId, ...CLAIM, limit: 1 });
    claimed.push(slot?.sessionId ?? '');
  }
  expect(claimed).toEqual(busy);
});

/** Returns how often a claim searches an index of slots: for the window, and in the session of each slot in the window. */
async function countLooks(project: TestProject, recorderId: string): Promise<number> {
  return await project.sql.begin(async (sql) => {
    const count = async () => {
      const [row] = await sql`
        select idx_scan::int as looks from pg_stat_xact_user_tables where relname = 'recording_assignments'`;
      return Number(row?.['looks']);
    };
    const before = await count();
    await claimSlots({ sql }, { recorderId, ...CLAIM });
    return (await count()) - before;
  });
}

test('a claim that was planned while no slot was free looks at a window too, once 8,000 are', async ({
  project,
}) => {
  const { fill } = project;
  await insertFreeSlots(project);
  const former = await addRecorder(project, FREE);
  await addRecorder(project, FREE);
  await fill`update recording_assignments set recorder_id = ${former}`;
  await fill`update session_heads set message_count = 1`;
  await fill`vacuum analyze recording_assignments`;
  const recorderId = await addRecorder(project, 220);
  await using own = openDatabase(project.url, { connections: 1 });
  // The first runs plan the statement.
  await claimSlots(own, { recorderId, ...CLAIM });
  await CLAIM_SLOTS(own, recorderId, 16, 220, true);
  await fill`update recording_assignments set recorder_id = null, last_message_at = now()`;
  expect(await countLooks({ ...project, sql: own.sql }, recorderId)).toBeLessThan(4000);
});

/** Stores 20 recorders that died with 200 slots each, of sessions that nobody ever joined. Returns their ids. */
async function insertDeadRecorders(project: TestProject): Promise<string[]> {
  const { fill } = project;
  await insertFreeSlots(project);
  const dead: string[] = [];
  while (dead.length < 20) dead.push(await addRecorder(project, 220, 440));
  await fill`update recorders set heartbeat_at = now() - interval '1 min'`;
  const live = await addRecorder(project, FREE);
  await fill`
    update recording_assignments slot set recorder_id = case
      when numbered.position < 4000 then (${dead}::uuid[])[1 + numbered.position % 20] else ${live}
    end
    from (
      select session_id, row_number() over (order by session_id) - 1 as position from recording_assignments
    ) numbered
    where slot.session_id = numbered.session_id`;
  return dead;
}

test('with 20 dead recorders the busiest rooms come first, whichever of the dead recorded them', async ({
  project,
}) => {
  const { fill } = project;
  const dead = await insertDeadRecorders(project);
  const busy = await fill<{ sessionId: string }[]>`
    select distinct on (recorder_id) session_id as "sessionId" from recording_assignments
    where recorder_id = any (${dead}::uuid[])`;
  for (const [minutes, { sessionId }] of busy.entries()) {
    await fill`
      update session_heads set message_count = 1, last_at = now() - ${minutes}::int * interval '1 min'
      where session_id = ${sessionId}`;
  }
  const recorderId = await addRecorder(project, 220);
  const claimed = await claimSlots(project, { recorderId, ...CLAIM });
  const claimedSessions = claimed.map(({ sessionId }) => sessionId);
  expect(claimedSessions.toSorted()).toEqual(
    busy
      .slice(0, CLAIM.limit)
      .map(({ sessionId }) => sessionId)
      .toSorted(),
  );
});

test('with 20 dead recorders a claim looks at a window of their slots, and all are claimed', async ({
  project,
}) => {
  await insertDeadRecorders(project);
  const recorderId = await addRecorder(project, FREE);
  // With all 4,000 slots in its window a claim searches more often than this.
  expect(await countLooks(project, recorderId)).toBeLessThan(4000);
  let taken = CLAIM.limit;
  let claimed: SlotRow[];
  do {
    claimed = await claimSlots(project, { recorderId, limit: 400, capacity: FREE });
    taken += claimed.length;
  } while (claimed.length > 0);
  expect(taken).toBe(4000);
});
