import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { CLAIM_SLOTS } from './claim-slots.ts';
import { HAS_CLAIMABLE_SLOT } from './claimable-slots.ts';
import { provideSlots } from './slots.ts';

async function mayClaim({ sql }: TestProject, recorderId: string, capacity: number) {
  const [found] = await HAS_CLAIMABLE_SLOT({ sql }, recorderId, capacity, true);
  return found?.hasClaimable;
}

async function hold({ sql }: TestProject, recorderId: string, sessionId: string, slot = 0) {
  await sql`
    insert into recording_assignments (session_id, slot, recorder_id)
    values (${sessionId}, ${slot}, ${recorderId})
    on conflict (session_id, slot) do update set recorder_id = excluded.recorder_id`;
  await sql`update recorders set load = load + 1 where id = ${recorderId}`;
}

test('a free slot of a session that the recorder records already is for others alone', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  const [own, other] = [await addRecorder(project), await addRecorder(project)];
  await hold(project, own, sessionId);
  await provideSlots(project, 2, own);
  expect([await mayClaim(project, own, 9), await mayClaim(project, other, 9)]).toEqual([
    false,
    true,
  ]);
  await ageHeartbeat(project, own, 15_100);
  expect(await mayClaim(project, other, 9)).toBe(true);
});

test('a recorder that is at its limit, draining, dead or unknown may claim nothing', async () => {
  await using project = await createTestProject();
  const [, held = ''] = await project.newSessions(2);
  const [limited, draining, dead] = [
    await addRecorder(project, 9, 1),
    await addRecorder(project),
    await addRecorder(project),
  ];
  expect(await mayClaim(project, limited, 9)).toBe(true);
  await hold(project, limited, held);
  await project.sql`update recorders set draining = true where id = ${draining}`;
  await ageHeartbeat(project, dead, 15_100);
  for (const recorderId of [limited, draining, dead, uuidv7()]) {
    expect(await mayClaim(project, recorderId, 9)).toBe(false);
  }
});

test('a full recorder may claim what every recorder with room records already, and all when none has room', async () => {
  await using project = await createTestProject();
  const [first = '', second = '', third = ''] = await project.newSessions(3);
  const [full, roomy, roomier] = [
    await addRecorder(project, 1),
    await addRecorder(project, 3),
    await addRecorder(project, 3),
  ];
  await hold(project, full, first);
  await hold(project, roomy, second);
  await hold(project, roomier, third);
  expect(await mayClaim(project, full, 1)).toBe(false);
  await project.sql`insert into recording_assignments (session_id, slot) values (${second}, 1)`;
  expect(await mayClaim(project, full, 1)).toBe(false);
  await hold(project, roomier, second, 2);
  expect(await mayClaim(project, full, 1)).toBe(true);
  await project.sql`delete from recording_assignments where session_id = ${second} and slot = 1`;
  expect(await mayClaim(project, full, 1)).toBe(false);
  await project.newSession();
  expect(await mayClaim(project, full, 1)).toBe(false);
  await project.sql`update recorders set load = capacity`;
  expect(await mayClaim(project, full, 1)).toBe(true);
});

const RECORDER = fc.record({
  capacity: fc.integer({ min: 0, max: 3 }),
  state: fc.constantFrom('alive', 'alive', 'draining', 'dead'),
});
/** The number of the recorder of each slot in a session; null: the slot is free. */
const SESSION = fc.uniqueArray(fc.option(fc.integer({ min: 0, max: 3 })), {
  minLength: 1,
  maxLength: 3,
  selector: (holder) => holder ?? -1,
});

type Holders = readonly (number | null)[];

/** Stores these recorders, and one session for each list of holders of its slots. Returns the recorders' ids. */
async function store(
  project: TestProject,
  recorders: readonly { readonly capacity: number; readonly state: string }[],
  sessions: readonly Holders[],
): Promise<string[]> {
  const { sql } = project;
  await sql`delete from recording_assignments`;
  await sql`delete from recorders`;
  const ids: string[] = [];
  for (const { state, capacity } of recorders) {
    const id = await addRecorder(project, capacity);
    if (state === 'dead') await ageHeartbeat(project, id, 15_100);
    if (state === 'draining') await sql`update recorders set draining = true where id = ${id}`;
    ids.push(id);
  }
  for (const holders of sessions) {
    const sessionId = await project.newSession();
    await sql`delete from recording_assignments where session_id = ${sessionId}`;
    const slots = holders.map((holder, slot) => ({
      session_id: sessionId,
      slot,
      recorder_id: holder === null ? null : (ids[holder] ?? null),
    }));
    await sql`insert into recording_assignments ${sql(slots)}`;
  }
  await sql`
    update recorders set load = (
      select count(*) from recording_assignments held where held.recorder_id = recorders.id
    )`;
  return ids;
}

test('a recorder claims something exactly when the first step said that there is something to claim', async () => {
  await using project = await createTestProject();
  const { sql } = project;
  await fc.assert(
    fc.asyncProperty(
      fc.array(RECORDER, { minLength: 4, maxLength: 4 }),
      fc.array(SESSION, { minLength: 1, maxLength: 6 }),
      fc.nat({ max: 4 }),
      async (recorders, sessions, capacity) => {
        const ids = await store(project, recorders, sessions);
        const [recorderId = ''] = ids;
        const expected = await mayClaim(project, recorderId, capacity);
        const claimed = await CLAIM_SLOTS({ sql }, recorderId, 16, capacity, true);
        expect(claimed.length > 0).toBe(expected);
      },
    ),
    { numRuns: 100 },
  );
});
