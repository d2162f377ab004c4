import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { startRecorder } from '../recording/recorders.ts';
import { readStatistics } from './statistics.ts';

test('a draining recorder is not stale, and a stale one is neither over its capacity nor has it a wrong clock', async ({
  project,
}) => {
  const [first = '', second = ''] = await project.newSessions(2);
  const [draining, stale] = [uuidv7(), uuidv7()];
  for (const [id, sessionId] of [
    [draining, first],
    [stale, second],
  ] as const) {
    await startRecorder(project, { id, capacity: 0 });
    await project.sql`
      update recording_assignments set recorder_id = ${id} where session_id = ${sessionId}`;
  }
  await project.sql`update recorders set load = 1, draining = true, clock_offset_ms = -5001`;
  await project.sql`
    update recorders set heartbeat_at = now() - interval '15.1 s' where id = ${stale}`;
  const { recorders, drift } = await readStatistics(project, project.userId);
  expect(recorders.map(({ id, status, clockOffsetMs }) => [id, status, clockOffsetMs])).toEqual([
    [draining, 'draining', -5001],
    [stale, 'stale', -5001],
  ]);
  expect(drift).toMatchObject({
    staleRecorders: 1,
    recordersOverCapacity: 1,
    recordersWithWrongClock: 1,
  });
});

test('the last webhook is that of any recorder, and null until one has received any', async ({
  project,
}) => {
  for (const id of [uuidv7(), uuidv7()]) await startRecorder(project, { id, capacity: 1 });
  const read = async () => (await readStatistics(project, project.userId)).webhooks;
  expect(await read()).toEqual({ lastAt: null });
  const lastAt = '2026-11-21T08:00:00.123Z';
  await project.sql`
    update recorders set webhook_at = ${lastAt} where id = (select min(id::text)::uuid from recorders)`;
  expect(await read()).toEqual({ lastAt });
});
