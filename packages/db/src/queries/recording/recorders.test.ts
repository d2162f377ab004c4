import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addInterval, addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import { closeSession } from '../sessions/session-end.ts';
import { listCoverage } from './coverage.ts';
import { listHandedOver, startRecorder, updateHeartbeat, wakeRecorders } from './recorders.ts';
import { insertInterval } from './recording-intervals.ts';
import { claimSlots } from './slots.ts';

/** The report of a recorder that has nothing to report. */
const QUIET = { load: 0, isDraining: false, standbyAt: null, webhookAt: null, clockOffsetMs: 0 };

test('a recorder that starts again gets its slots back at the next epoch, and its open intervals end', async ({
  project,
}) => {
  const id = uuidv7();
  expect(await startRecorder(project, { id, capacity: 9 })).toEqual({
    recorderEpoch: 1,
    slots: [],
    endedSessions: [],
    databaseNow: expect.any(Number),
  });
  const sessionIds = [await project.newSession(), await project.newSession()];
  await claimSlots(project, { recorderId: id, limit: 16, capacity: 9 });
  const [sessionId = ''] = sessionIds;
  const fromAt = '2026-11-21T08:00:00.000Z';
  const flushedAt = '2026-11-21T08:00:03.250Z';
  await insertInterval(project, { sessionId, id: uuidv7(), recorderId: id, fromAt });
  // The messages that the former process kept for a leader are lost with it.
  const standbyAt = '2026-11-21T08:00:02.500Z';
  const beat = { ...QUIET, id, epoch: 1, load: 2, flushedAt, standbyAt };
  expect(await updateHeartbeat(project, beat)).toMatchObject({ isReplaced: false });
  const again = await startRecorder(project, { id, capacity: 9 });
  expect(again).toMatchObject({ recorderEpoch: 2, endedSessions: [sessionId] });
  expect(await project.sql`select standby_at from recorders`).toEqual([{ standby_at: null }]);
  expect(again.slots.toSorted((a, b) => a.sessionId.localeCompare(b.sessionId))).toEqual(
    sessionIds.map((own) => ({ sessionId: own, slotNumber: 0, epoch: 2 })),
  );
  expect(await listCoverage(project, [sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: standbyAt },
    { what: 'gap', from: standbyAt, reason: 'recorder_died' },
  ]);
  expect(await updateHeartbeat(project, beat)).toMatchObject({ isReplaced: true });
});

test('a heartbeat does not wait for the disk, but the next statement on its connection does', async ({
  project,
}) => {
  const url = `${project.url}?synchronous_commit=on`;
  await using own = openDatabase(url, { connections: 1 });
  const id = uuidv7();
  const { recorderEpoch: epoch } = await startRecorder(own, { id, capacity: 9 });
  const flushedAt = '2026-11-21T08:00:03.250Z';
  await updateHeartbeat(own, { ...QUIET, id, epoch, isDraining: true, flushedAt });
  expect(await own.sql`show synchronous_commit`).toEqual([{ synchronous_commit: 'on' }]);
  expect(await own.sql`select draining, flushed_at from recorders`).toEqual([
    { draining: true, flushed_at: '2026-11-21T08:00:03.250Z' },
  ]);
});

test('a start forgets the load and the drain of the process before, but not until when that had stored everything', async ({
  project,
}) => {
  const id = uuidv7();
  await startRecorder(project, { id, capacity: 9 });
  await project.sql`
    update recorders set load = 7, draining = true, standby_at = now(), flushed_at = '2026-11-21T08:00:00Z',
      heartbeat_at = '2026-11-21T08:00:00Z', started_at = '2026-11-21T08:00:00Z'`;
  await startRecorder(project, { id, capacity: 4 });
  const rows = await project.sql`
    select epoch, capacity, load, draining, standby_at, flushed_at, heartbeat_at = started_at
      and started_at > now() - interval '1 min' as is_fresh from recorders`;
  expect(rows).toEqual([
    {
      epoch: '2',
      capacity: 4,
      load: 0,
      draining: false,
      standby_at: null,
      flushed_at: '2026-11-21T08:00:00.000Z',
      is_fresh: true,
    },
  ]);
});

test('a start ends the open intervals of that recorder alone', async ({ project }) => {
  const sessionId = await project.newSession();
  const [own, other] = [await addRecorder(project), await addRecorder(project)];
  const fromAt = '2026-11-21T08:00:00.000Z';
  for (const recorderId of [own, own, other]) {
    await addInterval(project, { sessionId, recorderId, fromAt });
  }
  expect(await startRecorder(project, { id: own, capacity: 9 })).toMatchObject({
    endedSessions: [sessionId],
  });
  const open = await project.sql`select recorder_id from recording_intervals where to_at is null`;
  expect(open).toEqual([{ recorder_id: other }]);
});

test('two processes that start as one recorder at the same moment get different epochs, and the older stops', async ({
  project,
}) => {
  const id = uuidv7();
  const starts = await Promise.all(
    Array.from({ length: 4 }, () => startRecorder(project, { id, capacity: 9 })),
  );
  const epochs = starts.map(({ recorderEpoch }) => recorderEpoch).toSorted((a, b) => a - b);
  expect(epochs).toEqual([1, 2, 3, 4]);
  const flushedAt = new Date().toISOString();
  const answers = await Promise.all(
    epochs.map((epoch) => updateHeartbeat(project, { ...QUIET, id, epoch, flushedAt })),
  );
  expect(answers.map(({ isReplaced }) => isReplaced)).toEqual([true, true, true, false]);
});

test('every recorder learns how many others live, whether one of these has received a webhook, and by the answer what the database takes for now', async ({
  project,
}) => {
  const [id, other] = [await addRecorder(project), await addRecorder(project)];
  const flushedAt = new Date().toISOString();
  const beat = async (who: string, webhookAt: string | null = null) =>
    await updateHeartbeat(project, { ...QUIET, id: who, epoch: 1, flushedAt, webhookAt });
  const [before, { databaseNow, webhooksSeen }, after] = [Date.now(), await beat(id), Date.now()];
  expect([webhooksSeen, databaseNow > before - 5 && databaseNow < after + 5]).toEqual([
    false,
    true,
  ]);
  expect((await beat(other, flushedAt)).webhooksSeen).toBe(true);
  expect(await beat(id)).toMatchObject({ webhooksSeen: true, otherRecorders: 1 });
  await ageHeartbeat(project, other, 15_001);
  expect(await beat(id)).toMatchObject({ webhooksSeen: false, otherRecorders: 0 });
  await startRecorder(project, { id: other, capacity: 9 });
  expect((await beat(id)).webhooksSeen).toBe(false);
});

test('a recorder says how far its clock is ahead, to the millisecond', async ({ project }) => {
  const id = await addRecorder(project);
  const report = { ...QUIET, id, epoch: 1, flushedAt: new Date().toISOString() };
  await updateHeartbeat(project, {
    ...report,
    clockOffsetMs: -86_400_000.4,
  });
  expect(await project.sql`select clock_offset_ms from recorders`).toEqual([
    { clock_offset_ms: '-86400000' },
  ]);
});

test('a wake reaches every listener without the id of a session', async ({ project }) => {
  await using notifications = await openNotifications(project.url);
  await wakeRecorders(project);
  expect(await notifications.take()).toEqual(['session_changed ']);
});

const covered = '2026-11-21T08:00:05.000Z';

/** A session that a recorder wants to leave, and another recorder. */
async function openHandOver() {
  const project = await createTestProject();
  const [recorderId, other] = [await addRecorder(project), await addRecorder(project)];
  const sessionId = await project.newSession();
  const fromAt = '2026-11-21T08:00:00.000Z';
  await addInterval(project, { sessionId, recorderId, fromAt });
  return {
    project,
    sessionId,
    other,
    handedOver: async (mayDeclareDead = true) => {
      const sessionIds = [sessionId];
      return await listHandedOver(project, recorderId, sessionIds, mayDeclareDead);
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

test('a session is handed over when another recorder covers it, since its oldest open interval', async () => {
  await using setting = await openHandOver();
  const { project, sessionId, other, handedOver } = setting;
  expect(await handedOver()).toEqual([]);
  const toAt = '2026-11-21T08:00:03.000Z';
  const before = '2026-11-21T08:00:02.000Z';
  await addInterval(project, { sessionId, recorderId: other, fromAt: before, toAt });
  expect(await handedOver()).toEqual([]);
  const after = '2026-11-21T08:00:09.000Z';
  for (const fromAt of [after, covered]) {
    await addInterval(project, { sessionId, recorderId: other, fromAt });
  }
  expect(await handedOver()).toEqual([{ sessionId, since: covered }]);
});

test.each([
  ['draining', 'draining = true'],
  ['dead', `heartbeat_at = now() - interval '15.1 s'`],
])(
  'a recorder that is %s takes nothing over: with no other, all sessions may be left',
  async (_, change) => {
    await using setting = await openHandOver();
    const { project, sessionId, other, handedOver } = setting;
    await addInterval(project, { sessionId, recorderId: other, fromAt: covered });
    await project.sql.unsafe(`update recorders set ${change} where id = $1`, [other]);
    expect(await handedOver()).toEqual([{ sessionId, since: null }]);
  },
);

test('while nobody may be declared dead, a silent recorder covers nothing, but may still take the session', async () => {
  await using setting = await openHandOver();
  const { project, sessionId, other, handedOver } = setting;
  await addInterval(project, { sessionId, recorderId: other, fromAt: covered });
  await ageHeartbeat(project, other, 60_000);
  expect(await handedOver(false)).toEqual([]);
  await ageHeartbeat(project, other, 0);
  expect(await handedOver(false)).toEqual([{ sessionId, since: covered }]);
});

test('a session that is over may be left, whoever lives', async () => {
  await using setting = await openHandOver();
  const { project, sessionId, handedOver } = setting;
  await closeSession(project, sessionId, 'user');
  expect(await handedOver()).toEqual([{ sessionId, since: null }]);
});
