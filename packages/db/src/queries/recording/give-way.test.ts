import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { giveWay, listWaitingSessions } from './give-way.ts';
import { claimSlots } from './slots.ts';

/**
 * Starts a recorder at its limit of `count` sessions; `waitingCount` more sessions wait. Returns its id, and both lists
 * of sessions.
 */
async function fullRecorder(project: TestProject, count: number, waitingCount: number) {
  const recorderId = await addRecorder(project, count, count);
  const held = await project.newSessions(count);
  await claimSlots(project, { recorderId, limit: count, capacity: count });
  return { recorderId, held, waiting: await project.newSessions(waitingCount) };
}

/** Returns the sessions of each recorder; '' stands for those that wait. */
async function slotsOf({ sql }: TestProject): Promise<Record<string, string[]>> {
  const rows = await sql<{ recorder: string; sessions: string[] }[]>`
    select coalesce(recorder_id::text, '') as recorder, array_agg(session_id::text order by session_id) as sessions
    from recording_assignments group by 1`;
  return Object.fromEntries(rows.map(({ recorder, sessions }) => [recorder, sessions]));
}

test('an empty session gives its slot to a joined one: the recorder has as many as before', async ({
  project,
}) => {
  const { recorderId, held, waiting } = await fullRecorder(project, 3, 2);
  const [first = '', second = '', third = ''] = held;
  const [joined = '', other = ''] = waiting;
  expect(await listWaitingSessions(project, recorderId, [joined, first, uuidv7()], true)).toEqual([
    joined,
  ]);
  const change = { recorderId, empty: [second, first], joined: [joined], fromDead: true };
  expect(await giveWay(project, change)).toEqual([second]);
  expect(await slotsOf(project)).toEqual({
    [recorderId]: [first, third, joined].toSorted(),
    '': [second, other].toSorted(),
  });
  // No session with one of these ids waits any more.
  expect(await giveWay(project, { ...change, empty: [first] })).toEqual([]);
});

test('of more joined sessions than empty ones, as many are claimed as give way', async ({
  project,
}) => {
  const { recorderId, held, waiting } = await fullRecorder(project, 3, 3);
  const [empty = '', ...kept] = held;
  const [joined = '', ...others] = waiting;
  const gone = uuidv7();
  const change = { recorderId, empty: [gone, empty], joined: waiting, fromDead: true };
  expect(await giveWay(project, change)).toEqual([empty]);
  expect(await slotsOf(project)).toEqual({
    [recorderId]: [...kept, joined].toSorted(),
    '': [...others, empty].toSorted(),
  });
});

test('no slot is taken from a live recorder, nor of a closed session; of a dead recorder only where that may be declared', async ({
  project,
}) => {
  const { recorderId, held } = await fullRecorder(project, 1, 0);
  const other = await addRecorder(project, 9, 9);
  const [ofOther = ''] = await project.newSessions(1);
  await claimSlots(project, { recorderId: other, limit: 9, capacity: 9 });
  const [closed = ''] = await project.newSessions(1);
  await project.sql`
    update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now() where id = ${closed}`;
  const change = { recorderId, empty: held, joined: [ofOther, closed], fromDead: true };
  expect(await giveWay(project, change)).toEqual([]);
  await ageHeartbeat(project, other, 16_000);
  expect(await giveWay(project, { ...change, fromDead: false })).toEqual([]);
  expect(await giveWay(project, change)).toEqual(held);
  expect((await slotsOf(project))[recorderId]).toEqual([ofOther]);
});

test('two recorders that move the same session at once: one of them has it, and only one session gave way', async ({
  project,
}) => {
  const one = await fullRecorder(project, 1, 0);
  const two = await fullRecorder(project, 1, 1);
  const moved = await Promise.all(
    [one, two].map(({ recorderId, held }) =>
      giveWay(project, { recorderId, empty: held, joined: two.waiting, fromDead: true }),
    ),
  );
  expect(moved.flat()).toHaveLength(1);
  const slots = await slotsOf(project);
  expect([slots[one.recorderId], slots[two.recorderId], slots['']].flat()).toHaveLength(3);
  expect(slots['']).toEqual(moved.flat());
});
