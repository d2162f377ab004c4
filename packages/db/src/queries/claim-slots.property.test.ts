import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../testing/project.ts';
import { ageHeartbeat, startRecorder } from '../../testing/recorders.ts';
import { prepareSlotQueries } from './slots.ts';

const RECORDER = fc.record({
  capacity: fc.integer({ min: 0, max: 6 }),
  state: fc.constantFrom('live', 'live', 'live', 'draining', 'dead'),
});

type Recorder = (typeof RECORDER extends fc.Arbitrary<infer T> ? T : never) & {
  readonly id: string;
};

async function startAs(project: TestProject, kind: Omit<Recorder, 'id'>): Promise<Recorder> {
  const id = await startRecorder(project, kind.capacity);
  if (kind.state === 'dead') await ageHeartbeat(project, id, 16_000);
  if (kind.state === 'draining') {
    await project.sql`update recorders set draining = true where id = ${id}`;
  }
  return { ...kind, id };
}

/** Has each recorder claim in turn and report its load, until a round brings no slot. */
async function claimAll(project: TestProject, recorders: readonly Recorder[]): Promise<void> {
  const slots = prepareSlotQueries(project);
  let claimed: number;
  do {
    claimed = 0;
    for (const { id, capacity } of recorders) {
      claimed += (await slots.claimSlots({ recorderId: id, limit: 2, capacity })).length;
      await project.sql`
        update recorders set load = (select count(*) from recording_assignments where recorder_id = ${id})
        where id = ${id}`;
    }
  } while (claimed > 0);
}

test('whatever recorders there are, all slots that can be are held by live ones, of one session by different ones', async () => {
  await using project = await createTestProject();
  await fc.assert(
    fc.asyncProperty(
      fc.array(RECORDER, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (kinds, sessionCount, redundancy) => {
        await project.sql`truncate sessions, recorders, session_heads cascade`;
        await project.newSessions(sessionCount);
        await prepareSlotQueries(project).provideSlots(redundancy);
        const recorders: Recorder[] = [];
        for (const kind of kinds) recorders.push(await startAs(project, kind));
        await claimAll(project, recorders);
        const held = await project.sql<{ sessionId: string; recorderId: string }[]>`
          select session_id as "sessionId", recorder_id as "recorderId" from recording_assignments
          where recorder_id is not null`;
        const live = recorders.filter(({ state }) => state === 'live').map(({ id }) => id);
        expect(held.filter(({ recorderId }) => !live.includes(recorderId))).toEqual([]);
        expect(held).toHaveLength(sessionCount * Math.min(redundancy, live.length));
        const pairs = held.map(({ sessionId, recorderId }) => `${sessionId} ${recorderId}`);
        expect(new Set(pairs).size).toBe(held.length);
      },
    ),
    { numRuns: 25 },
  );
}, 30_000);
