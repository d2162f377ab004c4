import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { closeSession } from '../sessions/session-end.ts';
import { markUnclaimableSessions } from './claim-slots.ts';
import { listCoverage, listGaps } from './coverage.ts';
import { startRecorder } from './recorders.ts';
import { insertGapStart, insertInterval } from './recording-intervals.ts';
import { claimSlots, provideSlots } from './slots.ts';

const EVERY = { limit: 1000, capacity: 1000 };

test('a recorder never claims beyond its limit of rooms, though no other recorder is there', async ({
  project,
}) => {
  await project.newSessions(5);
  const recorderId = await addRecorder(project, 1, 3);
  const claims: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    claims.push((await claimSlots(project, { recorderId, limit: 16, capacity: 1 })).length);
  }
  expect(claims).toEqual([1, 2, 0]);
});

test('a recorder at its limit of rooms has no room, whatever its capacity says', async ({
  project,
}) => {
  await project.newSessions(2);
  const [full, other] = [await addRecorder(project, 9, 0), await addRecorder(project, 0, 9)];
  expect(await claimSlots(project, { recorderId: full, limit: 9, capacity: 9 })).toEqual([]);
  expect(await claimSlots(project, { recorderId: other, limit: 9, capacity: 0 })).toHaveLength(2);
});

test('a recorder that starts again with a lower limit keeps the busiest sessions, and releases the others', async ({
  project,
}) => {
  const [busy = '', ...idle] = await project.newSessions(3);
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${busy}`;
  const recorderId = await addRecorder(project);
  await claimSlots(project, { recorderId, ...EVERY });
  const restart = { id: recorderId, capacity: 1, roomLimit: 1 };
  const started = await startRecorder(project, restart);
  expect(started.slots).toEqual([{ sessionId: busy, slotNumber: 0, epoch: 2 }]);
  const other = await addRecorder(project);
  const claimed = await claimSlots(project, { recorderId: other, ...EVERY });
  expect(new Set(claimed.map(({ sessionId }) => sessionId))).toEqual(new Set(idle));
});

test('when rooms are short, the account with the fewest recorded sessions gets the next, its busiest first', async ({
  project,
}) => {
  const { sql } = project;
  const large = await project.newSessions(4);
  const [recorderId] = [await addRecorder(project, 9, 6), await addRecorder(project, 0, 0)];
  for (let turn = 0; turn < 3; turn += 1) {
    await claimSlots(project, { recorderId, limit: 1, capacity: 9 });
  }
  const small = await newSessionsElsewhere(project, 3);
  for (const [minutes, sessionId] of [...large, ...small].entries()) {
    await sql`
      update session_heads set last_at = now() - ${minutes}::int * interval '1 min'
      where session_id = ${sessionId}`;
  }
  // Four sessions wait for three rooms. The busiest is the large account's, which has three already.
  const claimed = await claimSlots(project, { recorderId, limit: 16, capacity: 9 });
  expect(claimed.map(({ sessionId }) => sessionId).toSorted()).toEqual(small.toSorted());
});

test('when rooms are short, an account with 170 projects gets as many rooms as an account with one', async ({
  project,
}) => {
  const { sql, userId } = project;
  const projects = Array.from({ length: 170 }, () => project.newProject(userId));
  const many = await project.newSessions(170);
  for (const [index, { projectId }] of (await Promise.all(projects)).entries()) {
    await sql`update sessions set project_id = ${projectId} where id = ${many[index] ?? ''}`;
  }
  const few = await newSessionsElsewhere(project, 70);
  const [recorderId] = [await addRecorder(project, 140, 140), await addRecorder(project, 0, 0)];
  const claimed: string[] = [];
  const claim = { recorderId, limit: 16, capacity: 140 };
  for (let turn = 0; turn < 9; turn += 1) {
    claimed.push(...(await claimSlots(project, claim)).map(({ sessionId }) => sessionId));
  }
  expect(claimed).toHaveLength(140);
  expect(new Set(claimed).isSupersetOf(new Set(few))).toBe(true);
});

test.each<[string, (project: TestProject, large: string, small: string) => Promise<unknown>]>([
  ['another owner joins', (project) => project.newMember('OWNER')],
  [
    'its member of longest standing is no owner',
    ({ sql }, large, small) => sql`
      insert into memberships (id, user_id, project_id, role, created_at)
      select uuidv7(), user_id, ${large}, 'ADMIN', '2000-01-01' from memberships where project_id = ${small}`,
  ],
])('a project counts for the same account when %s', async (_, change) => {
  await using project = await createTestProject();
  const [recorderId] = [await addRecorder(project, 9, 3), await addRecorder(project, 0, 0)];
  await project.newSessions(2);
  await claimSlots(project, { recorderId, limit: 2, capacity: 9 });
  const { projectId } = await project.newProject();
  await change(project, project.projectId, projectId);
  const [waiting = '', other = ''] = await project.newSessions(2);
  await project.sql`update sessions set project_id = ${projectId} where id = ${other}`;
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${waiting}`;
  expect(await claimSlots(project, { recorderId, limit: 9, capacity: 9 })).toMatchObject([
    { sessionId: other },
  ]);
});

test('when rooms are short, a full recorder leaves its last room to a session that waits for its first recorder', async ({
  project,
}) => {
  await project.newSessions(4);
  const [roomy, full] = [await addRecorder(project, 3, 3), await addRecorder(project, 0, 1)];
  await provideSlots(project, 2, full);
  await claimSlots(project, { recorderId: roomy, limit: 2, capacity: 3 });
  await project.sql`update recorders set load = 2 where id = ${roomy}`;
  const claim = { recorderId: full, limit: 2, capacity: 0 };
  expect(await claimSlots(project, claim)).toEqual([]);
  await claimSlots(project, { recorderId: roomy, limit: 2, capacity: 3 });
  await project.sql`update recorders set load = 3 where id = ${roomy}`;
  expect(await claimSlots(project, claim)).toMatchObject([{ slotNumber: 0 }]);
});

test('while the rooms are enough, the busiest session comes first, whatever its account has', async ({
  project,
}) => {
  const [recorderId] = [await addRecorder(project, 9, 9), await addRecorder(project, 0, 0)];
  await project.newSessions(3);
  await claimSlots(project, { recorderId, limit: 3, capacity: 9 });
  const [busy = ''] = await project.newSessions(1);
  await newSessionsElsewhere(project, 3);
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${busy}`;
  expect(await claimSlots(project, { recorderId, limit: 1, capacity: 9 })).toMatchObject([
    { sessionId: busy },
  ]);
});

test('what no recorder can take is counted: ACTIVE sessions without a recorder, while every other recorder is full', async ({
  project,
}) => {
  const [recorded = '', , closed = ''] = await project.newSessions(4);
  const [own, other] = [await addRecorder(project, 1, 1), await addRecorder(project, 9, 9)];
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${recorded}`;
  await claimSlots(project, { recorderId: own, limit: 1, capacity: 1 });
  await provideSlots(project, 2, own);
  await closeSession(project, closed, 'user');
  const count = () => markUnclaimableSessions(project, own, true);
  expect(await count()).toBe(0);
  await project.sql`update recorders set load = 9 where id = ${other}`;
  expect(await count()).toBe(2);
  // A recorder without a limit, as of an earlier release, takes every session.
  await project.sql`update recorders set room_limit = null where id = ${other}`;
  expect(await count()).toBe(0);
  await ageHeartbeat(project, other, 15_100);
  expect(await count()).toBe(2);
});

test('what no recorder can take has one gap, from the first count on, until it is recorded or closed', async ({
  project,
}) => {
  const [recorded = '', taken = '', closed = ''] = await project.newSessions(3);
  const [own, other] = [await addRecorder(project, 1, 1), await addRecorder(project, 0, 0)];
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${recorded}`;
  await claimSlots(project, { recorderId: own, limit: 1, capacity: 1 });
  for (const recorderId of [own, other]) await markUnclaimableSessions(project, recorderId, true);
  await project.sql`
    update recording_intervals set from_at = from_at - interval '1 min', to_at = to_at - interval '1 min'`;
  const [first] = await listCoverage(project, [taken]);
  const fromAt = new Date(Date.parse(first?.from ?? '') + 5000).toISOString();
  const at = new Date(Date.parse(first?.from ?? '') + 2000).toISOString();
  // A participant that joined meanwhile begins no second gap.
  const join = { sessionId: taken, id: uuidv7(), recorderId: own, at, before: fromAt };
  await insertGapStart(project, join);
  await insertInterval(project, { sessionId: taken, id: uuidv7(), recorderId: own, fromAt });
  await closeSession(project, closed, 'user');
  const gaps = await listGaps(project, [recorded, taken, closed]);
  expect(gaps).toHaveLength(2);
  expect(gaps).toContainEqual({
    sessionId: taken,
    from: first?.from,
    to: fromAt,
    reason: 'not_started',
  });
  expect(gaps.find(({ sessionId }) => sessionId === closed)).toMatchObject({
    reason: 'not_started',
  });
});

/** Stores sessions of another account, and returns their ids. */
async function newSessionsElsewhere(project: TestProject, count: number): Promise<string[]> {
  const ids = await project.newSessions(count);
  const { projectId } = await project.newProject();
  await project.sql`update sessions set project_id = ${projectId} where id in ${project.sql(ids)}`;
  return ids;
}
