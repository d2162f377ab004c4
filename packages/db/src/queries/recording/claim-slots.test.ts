import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertInterval } from './recording-intervals.ts';
import {
  claimSlots,
  deleteSlot,
  listSlots,
  provideSlots,
  type SlotRow,
  updateSlot,
} from './slots.ts';

test('eight claimers at once: every slot is claimed, by one of them', async ({ project }) => {
  const { sql, projectId, userId } = project;
  const rows = Array.from({ length: 200 }, () => ({
    id: uuidv7(),
    project_id: projectId,
    name: 'a talk',
    created_by: userId,
  }));
  await sql`insert into sessions ${sql(rows)}`;
  await sql`insert into recording_assignments (session_id) select id from sessions`;
  const claims = Array.from({ length: 8 }, async () => {
    await using own = openDatabase(project.url, { connections: 1 });
    const recorderId = await addRecorder(project);
    const taken: SlotRow[] = [];
    for (;;) {
      const claimed = await claimSlots(own, { recorderId, limit: 5, capacity: 100 });
      if (claimed.length === 0) return taken;
      taken.push(...claimed);
    }
  });
  const taken = (await Promise.all(claims)).flat().map(({ sessionId }) => sessionId);
  expect(taken).toHaveLength(200);
  expect(new Set(taken).size).toBe(200);
});

test('capacity limits a claim while another recorder has room, and not when all are full', async ({
  project,
}) => {
  for (let count = 0; count < 4; count += 1) await project.newSession();
  const [small, large] = [await addRecorder(project, 1), await addRecorder(project, 9)];
  const claim = { recorderId: small, limit: 16, capacity: 1 };
  expect(await claimSlots(project, claim)).toHaveLength(1);
  expect(await claimSlots(project, claim)).toHaveLength(0);
  await project.sql`update recorders set load = capacity where id in (${small}, ${large})`;
  expect(await claimSlots(project, claim)).toHaveLength(3);
});

test('a slot of a live recorder stays; the slot of a dead one is claimed, and its interval ends at the last flush', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [first, second] = [await addRecorder(project), await addRecorder(project)];
  await claimSlots(project, { recorderId: first, limit: 1, capacity: 9 });
  const id = uuidv7();
  const fromAt = '2026-11-21T08:00:00.000Z';
  await insertInterval(project, { sessionId, id, recorderId: first, fromAt });
  const claim = { recorderId: second, limit: 1, capacity: 9 };
  expect(await claimSlots(project, claim)).toEqual([]);
  await project.sql`
    update recorders set heartbeat_at = now() - interval '16 s', flushed_at = '2026-11-21T08:00:08Z',
      standby_at = '2026-11-21T08:00:07Z' where id = ${first}`;
  expect(await claimSlots(project, { ...claim, fromDead: false })).toEqual([]);
  expect(await claimSlots(project, claim)).toEqual([
    { sessionId, slotNumber: 0, epoch: 2, sessionStatus: 'ACTIVE' },
  ]);
  expect(await project.sql`select to_at, end_reason from recording_intervals`).toEqual([
    { to_at: '2026-11-21T08:00:07.000Z', end_reason: 'recorder_died' },
  ]);
  expect(await listSlots(project, first, 1, true)).toEqual([]);
  const lost = { sessionId, slotNumber: 0, recorderId: first, epoch: 1 };
  const state = { status: 'recording', connectedAt: null, attempts: 0, failure: null } as const;
  expect(await updateSlot(project, lost, state)).toBe(false);
  expect(await deleteSlot(project, lost)).toBe(false);
});

test('a slot of a draining recorder is claimed while its interval stays open', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [first, second] = [await addRecorder(project), await addRecorder(project)];
  await claimSlots(project, { recorderId: first, limit: 1, capacity: 9 });
  await insertInterval(project, {
    sessionId,
    id: uuidv7(),
    recorderId: first,
    fromAt: '2026-11-21T08:00:00.000Z',
  });
  await project.sql`update recorders set draining = true where id = ${first}`;
  const claim = { limit: 1, capacity: 9 };
  expect(await claimSlots(project, { recorderId: second, ...claim })).toHaveLength(1);
  expect(await project.sql`select to_at from recording_intervals`).toEqual([{ to_at: null }]);
  expect(await claimSlots(project, { recorderId: first, ...claim })).toEqual([]);
});

test('a full recorder claims a second slot when the recorder with room holds the first', async ({
  project,
}) => {
  await project.newSession();
  const [roomy, full] = [await addRecorder(project), await addRecorder(project, 0)];
  await provideSlots(project, 2, full);
  const claim = { recorderId: full, limit: 16, capacity: 0 };
  expect(await claimSlots(project, claim)).toEqual([]);
  await claimSlots(project, { recorderId: roomy, limit: 16, capacity: 9 });
  expect(await claimSlots(project, claim)).toMatchObject([{ slotNumber: 1 }]);
});

/** Returns which recorder holds which slot, as `[sessionId, slot, recorderId]`. */
async function heldSlots({ sql }: TestProject) {
  return await sql<{ sessionId: string; slot: number; recorderId: string | null }[]>`
    select session_id as "sessionId", slot, recorder_id as "recorderId" from recording_assignments
    order by session_id, slot`;
}

test('with redundancy 2, six claimers at once: both slots of each session are held, by two recorders', async ({
  project,
}) => {
  await project.newSessions(40);
  await provideSlots(project, 2, uuidv7());
  const claimers = Array.from({ length: 6 }, async () => {
    await using own = openDatabase(project.url, { connections: 1 });
    const recorderId = await addRecorder(own);
    // A claim skips rows that another claim has locked, so it may get nothing although free slots are left.
    for (let empty = 0; empty < 5; ) {
      const claimed = await claimSlots(own, { recorderId, limit: 3, capacity: 100 });
      if (claimed.length === 0) empty += 1;
    }
  });
  await Promise.all(claimers);
  const held = await heldSlots(project);
  expect(held).toHaveLength(80);
  expect(held.filter(({ recorderId }) => recorderId === null)).toEqual([]);
  const pairs = held.map(({ sessionId, recorderId }) => `${sessionId} ${recorderId}`);
  expect(new Set(pairs).size).toBe(80);
});

test.each([
  [1, 100, 1],
  [7, 100, 7],
  [100, 12, 12],
  [5, 3, 3],
])(
  'a claim of up to %i slots with a capacity of %i takes %i of 20',
  async (limit, capacity, taken) => {
    await using project = await createTestProject();
    await project.newSessions(20);
    const recorderId = await addRecorder(project, capacity);
    // Another recorder has room, so the capacity is a limit.
    await addRecorder(project, 100);
    expect(await claimSlots(project, { recorderId, limit, capacity })).toHaveLength(taken);
  },
);

test('a claim beyond the capacity takes all that its limit allows, where no other recorder has room', async ({
  project,
}) => {
  await project.newSessions(20);
  const [recorderId] = [await addRecorder(project, 0), await addRecorder(project, 0)];
  expect(await claimSlots(project, { recorderId, limit: 8, capacity: 0 })).toHaveLength(8);
  expect(await claimSlots(project, { recorderId, limit: 100, capacity: 0 })).toHaveLength(12);
});

test('a recorder that is alone claims many slots at once, which sorts them once', async ({
  project,
}) => {
  await project.newSessions(20);
  const recorderId = await addRecorder(project, 15);
  expect(await claimSlots(project, { recorderId, limit: 1, capacity: 15 })).toHaveLength(15);
});

test.each([
  ['draining', 'draining = true'],
  ['dead', `heartbeat_at = now() - interval '15.1 s'`],
])(
  'a full recorder need not leave a slot to another that is %s, though that one has room',
  async (_, change) => {
    await using project = await createTestProject();
    await project.newSession();
    const [full, roomy] = [await addRecorder(project, 0), await addRecorder(project, 9)];
    const claim = { recorderId: full, limit: 9, capacity: 0 };
    expect(await claimSlots(project, claim)).toEqual([]);
    await project.sql.unsafe(`update recorders set ${change} where id = $1`, [roomy]);
    expect(await claimSlots(project, claim)).toHaveLength(1);
  },
);

/** Claims one slot after another until none is left. Returns the sessions in the order of their claims. */
async function claimEach(project: TestProject, recorderId: string): Promise<string[]> {
  const claimed: string[] = [];
  for (;;) {
    const [slot] = await claimSlots(project, { recorderId, limit: 1, capacity: 100 });
    if (!slot) return claimed;
    claimed.push(slot.sessionId);
  }
}

test('the session with the newest message is claimed first, one without a head last, and none before its time', async ({
  project,
}) => {
  const [first = '', second = '', third = '', headless = '', later = ''] =
    await project.newSessions(5);
  const minutesAgo = { [first]: 9, [second]: 1, [third]: 5, [later]: 0 };
  for (const [sessionId, minutes] of Object.entries(minutesAgo)) {
    await project.sql`
      update session_heads set last_at = now() - ${minutes}::int * interval '1 min'
      where session_id = ${sessionId}`;
  }
  await project.sql`delete from session_heads where session_id = ${headless}`;
  await project.sql`
    update recording_assignments set next_attempt_at = now() + interval '1 min'
    where session_id = ${later}`;
  const [recorderId] = [await addRecorder(project), await addRecorder(project, 0)];
  expect(await claimEach(project, recorderId)).toEqual([second, third, first, headless]);
});

test('a session that no recorder records is claimed before the second slot of a busier one', async ({
  project,
}) => {
  const busy = await project.newSession();
  const [recorderId, other] = [await addRecorder(project), await addRecorder(project, 1)];
  await provideSlots(project, 2, other);
  await claimSlots(project, { recorderId: other, limit: 1, capacity: 1 });
  const idle = await project.newSession();
  await project.sql`update session_heads set last_at = now() + interval '1 h' where session_id = ${busy}`;
  expect(await claimEach(project, recorderId)).toEqual([idle, busy]);
});

test('a claim starts over: the attempts, the failure and the connection of the former recorder are gone', async ({
  project,
}) => {
  await project.newSession();
  await project.sql`
    update recording_assignments set status = 'lost', attempts = 5, failure = 'refused', connected_at = now(), epoch = 7`;
  const recorderId = await addRecorder(project);
  expect(await claimSlots(project, { recorderId, limit: 1, capacity: 9 })).toMatchObject([
    { epoch: 8 },
  ]);
  const rows = await project.sql`
    select status, attempts, failure, connected_at, epoch, recorder_id from recording_assignments`;
  expect(rows).toEqual([
    {
      status: 'connecting',
      attempts: 0,
      failure: null,
      connected_at: null,
      epoch: '8',
      recorder_id: recorderId,
    },
  ]);
});

test('the slots of CLOSED sessions are claimed too, so that their last words are stored', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await closeSession(project, sessionId, 'user');
  const recorderId = await addRecorder(project);
  expect(await claimSlots(project, { recorderId, limit: 1, capacity: 9 })).toEqual([
    { sessionId, slotNumber: 0, epoch: 1, sessionStatus: 'CLOSED' },
  ]);
});

test('a slot can be claimed at the very moment of its creation, although its time may be rounded up', async ({
  project,
}) => {
  await using own = openDatabase(project.url, { connections: 1 });
  const recorderId = await addRecorder(project, 1000);
  for (let index = 0; index < 20; index += 1) {
    const sessionId = await project.newSession();
    // Within one transaction now() stands still, and half of its values are rounded up.
    const claimed = await own.sql.begin(async (sql) => {
      await sql`update recording_assignments set next_attempt_at = now() where session_id = ${sessionId}`;
      const claim = { recorderId, limit: 16, capacity: 1000, fromDead: false };
      return await claimSlots({ sql }, claim);
    });
    expect(claimed.map((slot) => slot.sessionId)).toEqual([sessionId]);
  }
});
