import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../testing/project.ts';
import { openDatabase } from '../client.ts';
import { prepareRecorderQueries } from './recorders.ts';
import { prepareRecordingIntervalQueries } from './recording-intervals.ts';
import { prepareSlotQueries, type SlotRow } from './slots.ts';

/** What is listed of a slot of which no interval is open. */
const unheard = { intervalId: null, leaderFlushedAt: null, leaderStandbyAt: null };

async function startRecorder(project: TestProject, capacity = 100): Promise<string> {
  const id = uuidv7();
  await prepareRecorderQueries(project).startRecorder({ id, capacity });
  return id;
}

test('eight claimers at once: every slot is taken, and by one of them', async () => {
  await using project = await createTestProject();
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
    const assignments = prepareSlotQueries(own);
    const recorderId = await startRecorder(project);
    const taken: SlotRow[] = [];
    for (;;) {
      const slots = await assignments.claimSlots({ recorderId, limit: 5, capacity: 100 });
      if (slots.length === 0) return taken;
      taken.push(...slots);
    }
  });
  const taken = (await Promise.all(claims)).flat().map(({ sessionId }) => sessionId);
  expect(taken).toHaveLength(200);
  expect(new Set(taken).size).toBe(200);
});

test('capacity limits a claim while another recorder has room, and none when all are full', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  for (let count = 0; count < 4; count += 1) await project.newSession();
  const [small, large] = [await startRecorder(project, 1), await startRecorder(project, 9)];
  const claim = { recorderId: small, limit: 16, capacity: 1 };
  expect(await assignments.claimSlots(claim)).toHaveLength(1);
  expect(await assignments.claimSlots(claim)).toHaveLength(0);
  await project.sql`update recorders set load = capacity where id in (${small}, ${large})`;
  expect(await assignments.claimSlots(claim)).toHaveLength(3);
});

test('a slot of a live recorder stays; of a dead one it is taken, and its interval ends at what was stored', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const [first, second] = [await startRecorder(project), await startRecorder(project)];
  await assignments.claimSlots({ recorderId: first, limit: 1, capacity: 9 });
  const id = uuidv7();
  const fromAt = '2026-11-21T08:00:00.000Z';
  await intervals.insertInterval({ sessionId, id, recorderId: first, fromAt });
  const claim = { recorderId: second, limit: 1, capacity: 9 };
  expect(await assignments.claimSlots(claim)).toEqual([]);
  await project.sql`
    update recorders set heartbeat_at = now() - interval '16 s', flushed_at = '2026-11-21T08:00:08Z',
      standby_at = '2026-11-21T08:00:07Z' where id = ${first}`;
  expect(await assignments.claimSlots({ ...claim, fromDead: false })).toEqual([]);
  expect(await assignments.claimSlots(claim)).toEqual([
    { sessionId, slot: 0, epoch: 2, sessionStatus: 'ACTIVE' },
  ]);
  expect(await project.sql`select to_at, end_reason from recording_intervals`).toEqual([
    { to_at: '2026-11-21 08:00:07+00', end_reason: 'recorder_died' },
  ]);
  expect(await assignments.listSlots(first, 1)).toEqual([]);
  const lost = { sessionId, slot: 0, recorderId: first, epoch: 1 };
  const state = { status: 'recording', connectedAt: null, attempts: 0, failure: null } as const;
  expect(await assignments.updateSlot(lost, state)).toBe(false);
  expect(await assignments.deleteSlot(lost)).toBe(false);
});

test('a slot of a draining recorder is taken while its interval stays open', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const sessionId = await project.newSession();
  const [first, second] = [await startRecorder(project), await startRecorder(project)];
  await assignments.claimSlots({ recorderId: first, limit: 1, capacity: 9 });
  await prepareRecordingIntervalQueries(project).insertInterval({
    sessionId,
    id: uuidv7(),
    recorderId: first,
    fromAt: '2026-11-21T08:00:00.000Z',
  });
  await project.sql`update recorders set draining = true where id = ${first}`;
  const claim = { limit: 1, capacity: 9 };
  expect(await assignments.claimSlots({ recorderId: second, ...claim })).toHaveLength(1);
  expect(await project.sql`select to_at from recording_intervals`).toEqual([{ to_at: null }]);
  expect(await assignments.claimSlots({ recorderId: first, ...claim })).toEqual([]);
});

test('a slot given up waits 15 s for the next claim, a released one not at all, and a finished one is gone', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const recorderId = await startRecorder(project);
  const sessionId = await project.newSession();
  const claim = { recorderId, limit: 1, capacity: 9 };
  const hold = async () => {
    const [slot] = await assignments.claimSlots(claim);
    return { sessionId, slot: 0, recorderId, epoch: slot?.epoch ?? 0 };
  };
  const first = await hold();
  const state = { connectedAt: null, attempts: 3, failure: 'refused' } as const;
  expect(await assignments.updateSlot(first, { status: 'reconnecting', ...state })).toBe(true);
  expect(await assignments.releaseSlot(first)).toBe(true);
  const second = await hold();
  expect(second.epoch).toBe(first.epoch + 1);
  expect(await assignments.giveUpSlot(second, 5, 'refused')).toBe(true);
  expect(await assignments.claimSlots(claim)).toEqual([]);
  await project.sql`update recording_assignments set next_attempt_at = next_attempt_at - interval '16 s'`;
  const third = await hold();
  expect(await assignments.listSlots(recorderId, 1)).toEqual([
    { sessionId, slot: 0, epoch: third.epoch, sessionStatus: 'ACTIVE', ...unheard },
  ]);
  expect(await assignments.deleteSlot(third)).toBe(true);
  expect(await project.sql`select 1 from recording_assignments`).toEqual([]);
});

test('a recorder that started again has its slots, and the process before it none', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const recorderId = await startRecorder(project);
  const sessionId = await project.newSession();
  await assignments.claimSlots({ recorderId, limit: 1, capacity: 9 });
  await prepareRecorderQueries(project).startRecorder({ id: recorderId, capacity: 9 });
  expect(await assignments.listSlots(recorderId, 1)).toEqual([]);
  expect(await assignments.listSlots(recorderId, 2)).toMatchObject([{ sessionId, epoch: 2 }]);
  const before = { sessionId, slot: 0, recorderId, epoch: 1 };
  const state = { status: 'recording', connectedAt: null, attempts: 0, failure: null } as const;
  expect(await assignments.updateSlot(before, state)).toBe(false);
  expect(await assignments.releaseSlot(before)).toBe(false);
});

test('redundancy 2: each session has two slots, of two recorders, and none to spare when one is enough', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const [sessionId, closed] = [await project.newSession(), await project.newSession()];
  await project.sessions.closeSession(closed, 'user');
  const recorders = [];
  for (let count = 0; count < 3; count += 1) recorders.push(await startRecorder(project));
  const slotsOf = async (recorderId: string) => {
    await assignments.provideSlots(2);
    const slots = await assignments.claimSlots({ recorderId, limit: 16, capacity: 9 });
    return slots.map((slot) => [slot.sessionId, slot.slot]);
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
  // The first one leaves, and the third takes its place.
  await project.sql`update recorders set draining = true where id = ${first}`;
  expect(await slotsOf(third)).toContainEqual([sessionId, 0]);
  await assignments.provideSlots(1);
  const count = async () =>
    (await project.sql`select 1 from recording_assignments where session_id = ${sessionId}`).length;
  expect(await count()).toBe(2);
  await project.sql`update recorders set heartbeat_at = now() - interval '16 s' where id = ${second}`;
  await assignments.provideSlots(1);
  expect(await count()).toBe(1);
});

test('a recorder that is full takes a second slot which no other may, though another has room', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  await project.newSession();
  const [roomy, full] = [await startRecorder(project), await startRecorder(project, 0)];
  await assignments.provideSlots(2);
  const claim = { recorderId: full, limit: 16, capacity: 0 };
  expect(await assignments.claimSlots(claim)).toEqual([]);
  await assignments.claimSlots({ recorderId: roomy, limit: 16, capacity: 9 });
  expect(await assignments.claimSlots(claim)).toMatchObject([{ slot: 1 }]);
});

test('the first of two is who has heard the session longest, until all that it received is stored', async () => {
  await using project = await createTestProject();
  const assignments = prepareSlotQueries(project);
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const recorders = [await startRecorder(project), await startRecorder(project)];
  await assignments.provideSlots(2);
  const ids: string[] = [];
  for (const recorderId of recorders) {
    const id = uuidv7();
    ids.push(id);
    await assignments.claimSlots({ recorderId, limit: 16, capacity: 9 });
    const fromAt = '2026-11-21T08:00:00.000Z';
    await intervals.insertInterval({ sessionId, id, recorderId, fromAt });
  }
  const listed = async () => {
    const slots = await Promise.all(recorders.map((id) => assignments.listSlots(id, 1)));
    return slots.flat().map(({ intervalId, leaderFlushedAt }) => [intervalId, leaderFlushedAt]);
  };
  const flushedAt = '2026-11-21T08:00:07.000Z';
  const tell = async (at: string, standbyAt: string | null = null) =>
    await project.sql`
      update recorders set flushed_at = ${at}, standby_at = ${standbyAt} where id = ${recorders[0] ?? ''}`;
  const standbyAt = '2026-11-21T08:00:05.000Z';
  await tell(flushedAt, standbyAt);
  const [, second = ''] = recorders;
  expect(await assignments.listSlots(second, 1)).toMatchObject([
    { leaderFlushedAt: flushedAt, leaderStandbyAt: standbyAt },
  ]);
  await tell(flushedAt);
  expect(await listed()).toEqual([
    [ids[0], null],
    [ids[1], flushedAt],
  ]);
  const toAt = '2026-11-21T08:00:08.000Z';
  await intervals.closeInterval({
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
  // One that is dead stores nothing more.
  await tell(flushedAt);
  await project.sql`update recorders set heartbeat_at = now() - interval '16 s' where id = ${recorders[0] ?? ''}`;
  expect(await listed()).toEqual([
    [null, null],
    [ids[1], null],
  ]);
});
