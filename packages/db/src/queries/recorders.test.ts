import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { openDatabase } from '../client.ts';
import { prepareRecorderQueries } from './recorders.ts';
import { prepareRecordingIntervalQueries } from './recording-intervals.ts';
import { prepareSlotQueries } from './slots.ts';

test('a recorder that starts again gets its slots back at the next epoch, and its open intervals end', async () => {
  await using project = await createTestProject();
  const recorders = prepareRecorderQueries(project);
  const id = uuidv7();
  expect(await recorders.startRecorder({ id, capacity: 9 })).toEqual({
    epoch: 1,
    slots: [],
    closedIntervals: 0,
  });
  const sessionIds = [await project.newSession(), await project.newSession()];
  const slotQueries = prepareSlotQueries(project);
  await slotQueries.claimSlots({ recorderId: id, limit: 16, capacity: 9 });
  const [sessionId = ''] = sessionIds;
  const intervals = prepareRecordingIntervalQueries(project);
  const fromAt = '2026-11-21T08:00:00.000Z';
  const flushedAt = '2026-11-21T08:00:03.250Z';
  await intervals.insertInterval({ sessionId, id: uuidv7(), recorderId: id, fromAt });
  // The messages that it kept for a leader are lost with it.
  const standbyAt = '2026-11-21T08:00:02.500Z';
  const beat = { id, epoch: 1, load: 2, isDraining: false, flushedAt, standbyAt };
  expect(await recorders.updateHeartbeat(beat)).toBe(true);
  const again = await recorders.startRecorder({ id, capacity: 9 });
  expect(again).toMatchObject({ epoch: 2, closedIntervals: 1 });
  expect(await project.sql`select standby_at from recorders`).toEqual([{ standby_at: null }]);
  expect(again.slots.toSorted((a, b) => a.sessionId.localeCompare(b.sessionId))).toEqual(
    sessionIds.map((own) => ({ sessionId: own, slot: 0, epoch: 2 })),
  );
  expect(await intervals.listCoverage([sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: standbyAt },
    { what: 'gap', from: standbyAt, reason: 'recorder_died' },
  ]);
  expect(await recorders.updateHeartbeat(beat)).toBe(false);
});

test('a heartbeat does not wait for the disk, but the next statement on its connection does', async () => {
  await using project = await createTestProject();
  const url = `${project.url}?synchronous_commit=on`;
  await using own = openDatabase(url, { connections: 1 });
  const recorders = prepareRecorderQueries(own);
  const id = uuidv7();
  const { epoch } = await recorders.startRecorder({ id, capacity: 9 });
  const flushedAt = '2026-11-21T08:00:03.250Z';
  await recorders.updateHeartbeat({
    id,
    epoch,
    load: 0,
    isDraining: true,
    flushedAt,
    standbyAt: null,
  });
  expect(await own.sql`show synchronous_commit`).toEqual([{ synchronous_commit: 'on' }]);
  expect(await own.sql`select draining, flushed_at from recorders`).toEqual([
    { draining: true, flushed_at: '2026-11-21 08:00:03.25+00' },
  ]);
});
