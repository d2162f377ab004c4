import { expect, test } from 'vitest';
import { createTestProject, typedText } from '../../testing/project.ts';
import { ageHeartbeat, claimSlot, startRecorder } from '../../testing/recorders.ts';
import { prepareMessageQueries } from './messages.ts';
import { listMonitoredSessions } from './monitored-sessions.ts';

test('ACTIVE sessions with slots are monitored, the newest first, by the user’s own projects alone', async () => {
  await using project = await createTestProject();
  const { sql, userId } = project;
  const [older = '', newer = '', closed = '', slotless = ''] = await project.newSessions(4);
  await sql`update sessions set created_at = now() - interval '1 min' where id = ${older}`;
  await project.sessions.closeSession(closed, 'user');
  await sql`delete from recording_assignments where session_id = ${slotless}`;
  const monitored = await listMonitoredSessions(sql, userId);
  expect(monitored.map(({ sessionId }) => sessionId)).toEqual([newer, older]);
  expect(await listMonitoredSessions(sql, await project.newUser())).toEqual([]);
});

test('a monitored session has a recorder while that recorder lives, and a last message once it has messages', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  const read = async () => (await listMonitoredSessions(project.sql, project.userId))[0];
  expect(await read()).toMatchObject({ recorderId: null, messageCount: 0, lastMessageAt: null });
  const recorderId = await startRecorder(project);
  await claimSlot(project, recorderId, sessionId);
  await prepareMessageQueries(project).appendMessages([typedText(sessionId), typedText(sessionId)]);
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
