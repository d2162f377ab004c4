import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { claimSlots, provideSlots } from './slots.ts';

const RECORDER = fc.record({
  capacity: fc.integer({ min: 0, max: 6 }),
  roomLimit: fc.constant<number | null>(null),
  state: fc.constantFrom('live', 'live', 'live', 'draining', 'dead'),
});

const LIMITED_RECORDER = fc.record({
  capacity: fc.integer({ min: 0, max: 6 }),
  roomLimit: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(null)),
  state: fc.constantFrom('live', 'live', 'live', 'draining', 'dead'),
});

type Recorder = (typeof LIMITED_RECORDER extends fc.Arbitrary<infer T> ? T : never) & {
  readonly id: string;
};

interface HeldSlot {
  readonly sessionId: string;
  readonly recorderId: string;
}

async function startAs(project: TestProject, kind: Omit<Recorder, 'id'>): Promise<Recorder> {
  const id = await addRecorder(project, kind.capacity, kind.roomLimit);
  if (kind.state === 'dead') await ageHeartbeat(project, id, 16_000);
  if (kind.state === 'draining') {
    await project.sql`update recorders set draining = true where id = ${id}`;
  }
  return { ...kind, id };
}

/** Has each recorder claim in turn and report its load, until a round brings no slot. Returns the slots that are held. */
async function claimAll(
  project: TestProject,
  recorders: readonly Recorder[],
): Promise<readonly HeldSlot[]> {
  let claimed: number;
  do {
    claimed = 0;
    for (const { id, capacity } of recorders) {
      claimed += (await claimSlots(project, { recorderId: id, limit: 2, capacity })).length;
      await project.sql`
        update recorders set load = (select count(*) from recording_assignments where recorder_id = ${id})
        where id = ${id}`;
    }
  } while (claimed > 0);
  return await project.sql<HeldSlot[]>`
    select session_id as "sessionId", recorder_id as "recorderId" from recording_assignments
    where recorder_id is not null`;
}

/** Starts the recorders in an empty database. */
async function startAll(
  project: TestProject,
  kinds: readonly Omit<Recorder, 'id'>[],
): Promise<readonly Recorder[]> {
  await project.sql`truncate sessions, recorders, session_heads cascade`;
  const recorders: Recorder[] = [];
  for (const kind of kinds) recorders.push(await startAs(project, kind));
  return recorders;
}

test('whatever recorders there are, all slots that can be are held by live ones, of one session by different ones', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(RECORDER, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (kinds, sessionCount, redundancy) => {
        const recorders = await startAll(project, kinds);
        await project.newSessions(sessionCount);
        await provideSlots(project, redundancy, uuidv7());
        const held = await claimAll(project, recorders);
        const live = recorders.filter(({ state }) => state === 'live').map(({ id }) => id);
        expect(held.filter(({ recorderId }) => !live.includes(recorderId))).toEqual([]);
        expect(held).toHaveLength(sessionCount * Math.min(redundancy, live.length));
        expectEachOnce(held);
      },
    ),
    { numRuns: 25 },
  );
});

test('whatever limits recorders have, none is exceeded, and each room is used while a session has no recorder', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(LIMITED_RECORDER, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 2 }),
      async (kinds, sessionCount, redundancy) => {
        const recorders = await startAll(project, kinds);
        await project.newSessions(sessionCount);
        await provideSlots(project, redundancy, uuidv7());
        const held = await claimAll(project, recorders);
        const live = recorders.filter(({ state }) => state === 'live');
        for (const { id, roomLimit } of live) {
          const rooms = held.filter(({ recorderId }) => recorderId === id).length;
          expect(rooms).toBeLessThanOrEqual(roomLimit ?? sessionCount);
        }
        const allRooms = live.reduce((sum, { roomLimit }) => sum + (roomLimit ?? sessionCount), 0);
        const recorded = new Set(held.map(({ sessionId }) => sessionId));
        // A second recorder of a session takes a room only when each session has a first.
        expect(recorded.size).toBe(Math.min(sessionCount, allRooms));
        expectEachOnce(held);
      },
    ),
    { numRuns: 25 },
  );
});

test('when rooms are short, no account has an unrecorded session while another has two recorded ones more, however many projects they have', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ roomLimit: fc.integer({ min: 0, max: 4 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      // For each account the numbers of sessions in its projects.
      fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 4,
      }),
      async (limits, sessionCounts) => {
        const kinds = limits.map((limit) => ({ ...limit, capacity: 2, state: 'live' as const }));
        const recorders = await startAll(project, kinds);
        const accounts: (readonly string[])[] = [];
        for (const counts of sessionCounts) {
          const userId = await project.newUser();
          const sessions: string[] = [];
          for (const count of counts) {
            const ids = await project.newSessions(count);
            const { projectId } = await project.newProject(userId);
            await project.sql`
              update sessions set project_id = ${projectId} where id in ${project.sql(ids)}`;
            sessions.push(...ids);
          }
          accounts.push(sessions);
        }
        const held = await claimAll(project, recorders);
        const recorded = new Set(held.map(({ sessionId }) => sessionId));
        const counts = accounts.map((ids) => ids.filter((id) => recorded.has(id)).length);
        const waiting = counts.filter((count, index) => count < (accounts[index]?.length ?? 0));
        expect(Math.max(...counts)).toBeLessThanOrEqual(Math.min(...waiting) + 1);
      },
    ),
    { numRuns: 25 },
  );
});

function expectEachOnce(held: readonly HeldSlot[]): void {
  const pairs = held.map(({ sessionId, recorderId }) => `${sessionId} ${recorderId}`);
  expect(new Set(pairs).size).toBe(held.length);
}
