import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addInterval } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import { closeSession } from '../sessions/session-end.ts';
import { startRecorder } from './recorders.ts';
import {
  endDeadIntervals,
  endInterval,
  endKeptInterval,
  insertInterval,
  updateUnsure,
} from './recording-intervals.ts';
import {
  claimSlots,
  deleteSlot,
  giveUpSlot,
  listSlots,
  provideSlots,
  releaseSlot,
  updateSlot,
} from './slots.ts';

/** The part of a listed slot that depends on its interval, when none is open. */
const withoutInterval = { intervalId: null, leaderFlushedAt: null, leaderStandbyAt: null };

async function addRecorder(project: TestProject, capacity = 100): Promise<string> {
  const id = uuidv7();
  await startRecorder(project, { id, capacity });
  return id;
}

test('a slot given up can be claimed after 15 s, a released one at once, and a deleted one never', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  const claim = { recorderId, limit: 1, capacity: 9 };
  const hold = async () => {
    const [slot] = await claimSlots(project, claim);
    return { sessionId, slotNumber: 0, recorderId, epoch: slot?.epoch ?? 0 };
  };
  const first = await hold();
  const state = { connectedAt: null, attempts: 3, failure: 'refused' } as const;
  expect(await updateSlot(project, first, { status: 'reconnecting', ...state })).toBe(true);
  expect(await releaseSlot(project, first)).toBe(true);
  const second = await hold();
  expect(second.epoch).toBe(first.epoch + 1);
  expect(await giveUpSlot(project, second, 5, 'refused')).toBe(true);
  expect(await claimSlots(project, claim)).toEqual([]);
  await project.sql`update recording_assignments set next_attempt_at = next_attempt_at - interval '16 s'`;
  const third = await hold();
  expect(await listSlots(project, recorderId, 1, true)).toEqual([
    { sessionId, slotNumber: 0, epoch: third.epoch, sessionStatus: 'ACTIVE', ...withoutInterval },
  ]);
  expect(await deleteSlot(project, third)).toBe(true);
  expect(await project.sql`select 1 from recording_assignments`).toEqual([]);
});

test('a recorder that started again lists its slots, and the process before it lists none', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  await claimSlots(project, { recorderId, limit: 1, capacity: 9 });
  await startRecorder(project, { id: recorderId, capacity: 9 });
  expect(await listSlots(project, recorderId, 1, true)).toEqual([]);
  expect(await listSlots(project, recorderId, 2, true)).toMatchObject([{ sessionId, epoch: 2 }]);
  const before = { sessionId, slotNumber: 0, recorderId, epoch: 1 };
  const state = { status: 'recording', connectedAt: null, attempts: 0, failure: null } as const;
  expect(await updateSlot(project, before, state)).toBe(false);
  expect(await releaseSlot(project, before)).toBe(false);
});

test('with redundancy 2 each session has two slots of two recorders; with redundancy 1 free surplus slots go', async ({
  project,
}) => {
  const [sessionId, closed] = [await project.newSession(), await project.newSession()];
  await closeSession(project, closed, 'user');
  const recorders = [];
  for (let count = 0; count < 3; count += 1) recorders.push(await addRecorder(project));
  const slotsOf = async (recorderId: string) => {
    await provideSlots(project, 2, recorderId);
    const slots = await claimSlots(project, { recorderId, limit: 16, capacity: 9 });
    return slots.map((slot) => [slot.sessionId, slot.slotNumber]);
  };
  const [first = '', second = '', third = ''] = recorders;
  expect(new Set(await slotsOf(first))).toEqual(
    new Set([
      [sessionId, 0],
      [closed, 0],
    ]),
  );
  expect(await slotsOf(first)).toEqual([]);
  expect(await slotsOf(second)).toEqual([[sessionId, 1]]);
  expect(await slotsOf(third)).toEqual([]);
  // The first recorder drains, and the third claims its slot.
  await project.sql`update recorders set draining = true where id = ${first}`;
  expect(await slotsOf(third)).toContainEqual([sessionId, 0]);
  await provideSlots(project, 1, first);
  const count = async () =>
    (await project.sql`select 1 from recording_assignments where session_id = ${sessionId}`).length;
  expect(await count()).toBe(2);
  await project.sql`update recorders set heartbeat_at = now() - interval '16 s' where id = ${second}`;
  await provideSlots(project, 1, first);
  expect(await count()).toBe(1);
});

test('the leader of two recorders is the one connected longest, until all that it received is stored', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const recorders = [await addRecorder(project), await addRecorder(project)];
  await provideSlots(project, 2, recorders[0] ?? '');
  const ids: string[] = [];
  for (const recorderId of recorders) {
    const id = uuidv7();
    ids.push(id);
    await claimSlots(project, { recorderId, limit: 16, capacity: 9 });
    const fromAt = '2026-11-21T08:00:00.000Z';
    await insertInterval(project, { sessionId, id, recorderId, fromAt });
  }
  const listed = async () => {
    const slots = await Promise.all(recorders.map((id) => listSlots(project, id, 1, true)));
    return slots.flat().map(({ intervalId, leaderFlushedAt }) => [intervalId, leaderFlushedAt]);
  };
  const flushedAt = '2026-11-21T08:00:07.000Z';
  const tell = async (at: string, standbyAt: string | null = null) =>
    await project.sql`
      update recorders set flushed_at = ${at}, standby_at = ${standbyAt} where id = ${recorders[0] ?? ''}`;
  const standbyAt = '2026-11-21T08:00:05.000Z';
  await tell(flushedAt, standbyAt);
  const [, second = ''] = recorders;
  expect(await listSlots(project, second, 1, true)).toMatchObject([
    { leaderFlushedAt: flushedAt, leaderStandbyAt: standbyAt },
  ]);
  // A standby keeps what it received since the leader's interval is unsure.
  const unsureFrom = '2026-11-21T08:00:04.000Z';
  await updateUnsure(project, [{ sessionId, intervalId: ids[0] ?? '', unsureFrom }]);
  for (const standby of [null, standbyAt]) {
    await tell(flushedAt, standby);
    expect(await listSlots(project, second, 1, true)).toMatchObject([
      { leaderFlushedAt: flushedAt, leaderStandbyAt: unsureFrom },
    ]);
  }
  await tell(flushedAt);
  expect(await listed()).toEqual([
    [ids[0], null],
    [ids[1], flushedAt],
  ]);
  const toAt = '2026-11-21T08:00:08.000Z';
  await endInterval(project, {
    sessionId,
    id: ids[0] ?? '',
    toAt,
    endReason: 'connection_lost',
  });
  expect(await listed()).toEqual([
    [null, null],
    [ids[1], flushedAt],
  ]);
  await tell(toAt);
  expect(await listed()).toEqual([
    [null, null],
    [ids[1], null],
  ]);
  // A dead recorder stores nothing more.
  await tell(flushedAt);
  await project.sql`update recorders set heartbeat_at = now() - interval '16 s' where id = ${recorders[0] ?? ''}`;
  expect(await listed()).toEqual([
    [null, null],
    [ids[1], null],
  ]);
});

/** A slot that a recorder holds, and its key. */
async function openSetting() {
  const project = await createTestProject();
  const sessionId = await project.newSession();
  const recorderId = await addRecorder(project);
  const [slot] = await claimSlots(project, { recorderId, limit: 1, capacity: 9 });
  const key = { sessionId, slotNumber: 0, recorderId, epoch: slot?.epoch ?? 0 };
  return {
    project,
    key,
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

test('a recorder lists its own slots alone, with its oldest open interval', async () => {
  await using setting = await openSetting();
  const { project, key } = setting;
  const { sessionId, recorderId } = key;
  const other = await addRecorder(project);
  await project.newSession();
  await claimSlots(project, { recorderId: other, limit: 9, capacity: 9 });
  const fromAt = '2026-11-21T08:00:00.000Z';
  const toAt = '2026-11-21T08:00:01.000Z';
  await addInterval(project, { sessionId, recorderId, fromAt, toAt });
  const oldest = await addInterval(project, { sessionId, recorderId, fromAt });
  await addInterval(project, { sessionId, recorderId, fromAt });
  expect(await listSlots(project, recorderId, 1, true)).toEqual([
    {
      ...withoutInterval,
      sessionId,
      slotNumber: 0,
      epoch: key.epoch,
      sessionStatus: 'ACTIVE',
      intervalId: oldest,
    },
  ]);
});

test('a recorder that starts again leads until what its former process had on the disk is stored', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [leader, standby] = [await addRecorder(project), await addRecorder(project)];
  await provideSlots(project, 2, leader);
  const ids: string[] = [];
  for (const recorderId of [leader, standby]) {
    await claimSlots(project, { recorderId, limit: 16, capacity: 9 });
    ids.push(
      await addInterval(project, { sessionId, recorderId, fromAt: '2026-11-21T08:00:00.000Z' }),
    );
  }
  const [flushedAt, keptUntil] = ['2026-11-21T08:00:03.000Z', '2026-11-21T08:00:07.000Z'];
  const flush = async (at: string) =>
    await project.sql`update recorders set flushed_at = ${at} where id = ${leader}`;
  await flush(flushedAt);
  const kept = { sessionId, id: ids[0] ?? '', keptUntil, endReason: 'recorder_stopped' };
  await endKeptInterval(project, kept);
  await startRecorder(project, { id: leader, capacity: 9 });
  expect(await listSlots(project, standby, 1, true)).toMatchObject([
    { leaderFlushedAt: flushedAt },
  ]);
  await flush(keptUntil);
  expect(await listSlots(project, standby, 1, true)).toMatchObject([{ leaderFlushedAt: null }]);
});

test('of three recorders the second follows the first, and the third follows the first too', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await provideSlots(project, 3, uuidv7());
  const recorders: string[] = [];
  for (const second of [1, 2, 3]) {
    const recorderId = await addRecorder(project);
    recorders.push(recorderId);
    await claimSlots(project, { recorderId, limit: 9, capacity: 9 });
    await addInterval(project, { sessionId, recorderId, fromAt: '2026-11-21T08:00:00.000Z' });
    await project.sql`
      update recorders set flushed_at = ${`2026-11-21T08:00:0${second}Z`} where id = ${recorderId}`;
  }
  const leaders = async () => {
    const slots = await Promise.all(recorders.map((id) => listSlots(project, id, 1, true)));
    return slots.flat().map(({ leaderFlushedAt }) => leaderFlushedAt);
  };
  const first = '2026-11-21T08:00:01.000Z';
  expect(await leaders()).toEqual([null, first, first]);
  // When the leader is dead and its interval was ended, the second recorder leads.
  await project.sql`
    update recorders set heartbeat_at = now() - interval '16 s' where id = ${recorders[0] ?? ''}`;
  await endDeadIntervals(project);
  expect(await leaders()).toEqual([null, null, '2026-11-21T08:00:02.000Z']);
});

test.each([
  [1, 1],
  [2, 2],
  [5, 5],
])(
  'with redundancy %i a session has %i slots, however often and from how many processes they are provided',
  async (redundancy, count) => {
    await using project = await createTestProject();
    await project.newSessions(10);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        await using own = openDatabase(project.url, { connections: 1 });
        for (let round = 0; round < 3; round += 1) {
          await provideSlots(own, redundancy, uuidv7());
        }
      }),
    );
    const counts = await project.sql<{ count: number }[]>`
    select count(*)::int as count from recording_assignments group by session_id`;
    expect(counts).toHaveLength(10);
    expect(new Set(counts.map((row) => row.count))).toEqual(new Set([count]));
  },
);
