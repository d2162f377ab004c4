import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat, claimSlot } from '../../../testing/recorders.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { claimSlots, provideSlots, updateSlot } from '../recording/slots.ts';
import { closeSession } from '../sessions/session-end.ts';
import { listMonitoredSessions } from './monitored-sessions.ts';
import { readStatistics } from './statistics.ts';

test('ACTIVE sessions with slots are monitored, the newest first, by the user’s own projects alone', async ({
  project,
}) => {
  const { sql, userId } = project;
  const [older = '', newer = '', closed = '', slotless = ''] = await project.newSessions(4);
  await sql`update sessions set created_at = now() - interval '1 min' where id = ${older}`;
  await closeSession(project, closed, 'user');
  await sql`delete from recording_assignments where session_id = ${slotless}`;
  const monitored = await listMonitoredSessions(project, userId);
  expect(monitored.map(({ sessionId }) => sessionId)).toEqual([newer, older]);
  expect(await listMonitoredSessions(project, await project.newUser())).toEqual([]);
});

test('a monitored session has a recorder while that recorder lives, and a last message once it has messages', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const read = async () => (await listMonitoredSessions(project, project.userId))[0];
  expect(await read()).toMatchObject({ recorderId: null, messageCount: 0, lastMessageAt: null });
  const recorderId = await addRecorder(project);
  await claimSlot(project, recorderId, sessionId);
  await appendMessages(project, [typedText(sessionId), typedText(sessionId)]);
  const [stored] = await project.sql<{ last: Date }[]>`
    select max("timestamp") as last from messages where session_id = ${sessionId}`;
  expect(await read()).toMatchObject({
    recorderId,
    messageCount: 2,
    lastMessageAt: new Date(stored?.last ?? Number.NaN).toISOString(),
  });
  await ageHeartbeat(project, recorderId, 60_000);
  expect(await read()).toMatchObject({ recorderId: null, status: 'waiting', messageCount: 2 });
});

test('a session with redundancy 2 is under-recorded until two recorders record it, and names both', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  // In a transaction `now()` stands still.
  await inTransaction(project, async (moment) => {
    const { sql } = moment;
    const recorders = [await addRecorder(moment), await addRecorder(moment)];
    const read = async () => {
      const { monitored, drift } = await readStatistics(moment, project.userId);
      return [monitored[0]?.recorderIds, drift.underRecordedSessions];
    };
    await sql`update sessions set created_at = now() - interval '14 s'`;
    expect(await read()).toEqual([[], 0]);
    await sql`update sessions set created_at = now() - interval '16 s'`;
    expect(await read()).toEqual([[], 1]);
    const state = { status: 'recording', connectedAt: null, attempts: 0, failure: null } as const;
    const seen: unknown[] = [];
    for (const recorderId of recorders) {
      await provideSlots(moment, 2, recorderId);
      const [slot] = await claimSlots(moment, { recorderId, limit: 1, capacity: 9 });
      const key = { sessionId, recorderId, slotNumber: slot?.slotNumber ?? 0 };
      await updateSlot(moment, { ...key, epoch: slot?.epoch ?? 0 }, state);
      seen.push(await read());
    }
    expect(seen).toEqual([
      [recorders.slice(0, 1), 1],
      [recorders, 0],
    ]);
    // It is unknown whether a late recorder still records.
    await ageHeartbeat(moment, recorders[0] ?? '', 2100);
    expect(await read()).toEqual([recorders.slice(1), 1]);
  });
});
