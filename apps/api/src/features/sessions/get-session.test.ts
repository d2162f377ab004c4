import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('its recording has its begin, its coverage and its gaps; `ended` when the session is closed and the recorder has left', async ({
  database,
  api,
  ana,
}) => {
  const id = await api.createSession(ana);
  await using own = openDatabase(database.url, { connections: 1 });
  const recorderId = uuidv7();
  await db.startRecorder(own, { id: recorderId, capacity: 9 });
  await own.sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  const claimed = await db.claimSlots(own, { recorderId, limit: 9, capacity: 9 });
  const slot = claimed.find(({ sessionId }) => sessionId === id);
  const key = { sessionId: id, slotNumber: 0, recorderId, epoch: slot?.epoch ?? 0 };
  const connectedAt = '2026-11-21T08:00:00.500Z';
  const state = { connectedAt, attempts: 0, failure: null };
  await db.updateSlot(own, key, { status: 'recording', ...state });
  const [first, second] = [uuidv7(), uuidv7()];
  const interval = { sessionId: id, recorderId };
  await db.insertInterval(api.deps.database, { ...interval, id: first, fromAt: connectedAt });
  const toAt = '2026-11-21T08:00:02.000Z';
  await db.endInterval(api.deps.database, {
    ...interval,
    id: first,
    toAt,
    endReason: 'connection_lost',
  });
  const fromAt = '2026-11-21T08:00:03.000Z';
  await db.insertInterval(api.deps.database, { ...interval, id: second, fromAt });
  const read = async () => (await api.inject(ana, { url: `/sessions/${id}` })).json().recording;
  expect(await read()).toMatchObject({
    status: 'recording',
    since: connectedAt,
    coverage: [{ from: connectedAt, to: toAt }, { from: fromAt }],
    gaps: [{ from: toAt, to: fromAt, reason: 'connection_lost' }],
  });
  await db.closeSession(api.deps.database, id, 'user');
  expect(await read()).toMatchObject({ status: 'recording' });
  await db.deleteSlot(own, key);
  expect(await read()).toMatchObject({ status: 'ended', since: null });
});
