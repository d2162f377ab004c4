import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { openNotifications } from '../../../testing/notifications.ts';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { insertAgent } from '../agents/agent-insertion.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { startRecorder } from '../recording/recorders.ts';
import { claimSlots, updateSlot } from '../recording/slots.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';
import { findSession, isSessionActive, listFinishedSessions } from './sessions.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a new session is ACTIVE, waits for a recorder, and has a head and one slot', async ({
  project,
}) => {
  const { sql, userId, projectId } = project;
  const id = await project.newSession();
  expect(await findSession(project, { id, userId })).toEqual({
    id,
    projectId,
    name: 'a talk',
    status: 'ACTIVE',
    closeReason: null,
    createdBy: userId,
    createdAt: ISO,
    updatedAt: ISO,
    closedAt: null,
    historyFrom: null,
    metadata: {},
    externalId: null,
    messageCount: 0,
    lastMessageAt: null,
    recordingStatus: 'waiting',
    connectedAt: null,
    memberRole: 'OWNER',
  });
  expect(await sql`select slot, status from recording_assignments`).toEqual([
    { slot: 0, status: 'waiting' },
  ]);
});

test('a user who is no member creates no session and finds none', async ({ project }) => {
  const { sql, projectId } = project;
  const id = await project.newSession();
  const stranger = await project.newUser();
  const theirs = { id: uuidv7(), projectId, name: 'x', createdBy: stranger };
  expect(await insertSession(project, theirs)).toBe('not_member');
  expect(await findSession(project, { id, userId: stranger })).toBeUndefined();
  expect(await sql`select id from sessions`).toHaveLength(1);
});

test('a session is closed once, keeps the first reason, and its agents are asked to stop', async ({
  project,
}) => {
  const { sql, userId } = project;
  const sessionId = await project.newSession();
  const agent = { planId: null, envTemplateId: null, config: {}, createdBy: userId };
  const id = uuidv7();
  await insertAgent(project, { id, sessionId, role: 'echo-agent', ...agent });
  expect(await closeSession(project, sessionId, 'user')).toBe(true);
  expect(await closeSession(project, sessionId, 'idle')).toBe(false);
  expect(await findSession(project, { id: sessionId, userId })).toMatchObject({
    status: 'CLOSED',
    closeReason: 'user',
    closedAt: ISO,
  });
  expect(await sql`select desired, status, reason from agents`).toEqual([
    { desired: 'stopped', status: 'Starting', reason: 'session_closed' },
  ]);
  const late = { id: uuidv7(), sessionId, role: 'light-agent', ...agent };
  expect(await insertAgent(project, late)).toBe('session_closed');
});

test('a session’s recording is that of its recorder; when the recorder is dead, the session waits', async ({
  project,
}) => {
  const { sql, userId } = project;
  const id = await project.newSession();
  await appendMessages(project, [typedText(id, { receivedAt: 0 })]);
  const recorderId = uuidv7();
  await startRecorder(project, { id: recorderId, capacity: 9 });
  const [slot] = await claimSlots(project, { recorderId, limit: 1, capacity: 9 });
  const key = { sessionId: id, slotNumber: 0, recorderId, epoch: slot?.epoch ?? 0 };
  const connectedAt = '2026-11-21T08:00:00.100Z';
  const state = { connectedAt, attempts: 0, failure: null };
  await updateSlot(project, key, { status: 'recording', ...state });
  await sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  expect(await findSession(project, { id, userId })).toMatchObject({
    recordingStatus: 'recording',
    connectedAt,
    messageCount: 1,
    lastMessageAt: ISO,
  });
  await sql`update recorders set heartbeat_at = now() - interval '2.01 s'`;
  expect(await findSession(project, { id, userId })).toMatchObject({
    recordingStatus: 'reconnecting',
    connectedAt: null,
  });
  await sql`update recorders set heartbeat_at = now() - interval '16 s'`;
  expect(await findSession(project, { id, userId })).toMatchObject({
    recordingStatus: 'waiting',
    connectedAt: null,
  });
});

test('a session is finished when it is CLOSED and no live recorder holds it, or after 9 s', async ({
  project,
}) => {
  const { sql } = project;
  const [active, held, free] = [
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
  ];
  const recorderId = uuidv7();
  await startRecorder(project, { id: recorderId, capacity: 9 });
  await sql`update recording_assignments set recorder_id = ${recorderId} where session_id = ${held}`;
  await closeSession(project, held, 'user');
  await closeSession(project, free, 'user');
  const rooms = [active, held, free, uuidv7()];
  expect(await listFinishedSessions(project, rooms)).toEqual([free]);
  await sql`update sessions set closed_at = now() - interval '10 s' where id = ${held}`;
  expect(new Set(await listFinishedSessions(project, rooms))).toEqual(new Set([held, free]));
  expect(await listFinishedSessions(project, [])).toEqual([]);
});

test('a session is active until it is closed or deleted, and an unknown one never is', async ({
  project,
}) => {
  const { sql } = project;
  const [active = '', closed = '', deleted = ''] = await project.newSessions(3);
  await closeSession(project, closed, 'idle');
  await sql`update sessions set deleted_at = now() where id = ${deleted}`;
  const states = await Promise.all(
    [active, closed, deleted, uuidv7()].map((id) => isSessionActive(project, id)),
  );
  expect(states).toEqual([true, false, false, false]);
});

test('a new session and its close notify recorders and followers, a second close and a refused session do not', async ({
  project,
}) => {
  await using notifications = await openNotifications(project.url);
  const id = await project.newSession();
  const both = [`messages_stored ${id}`, `session_changed ${id}`];
  expect((await notifications.take()).toSorted()).toEqual(both);
  await closeSession(project, id, 'user');
  expect((await notifications.take()).toSorted()).toEqual(both);
  await closeSession(project, id, 'user');
  await insertSession(project, {
    id: uuidv7(),
    projectId: project.projectId,
    name: 'x',
    createdBy: await project.newUser(),
  });
  expect(await notifications.take()).toEqual([]);
});

test('one of many that close a session at the same moment closes it, and its reason stays', async ({
  project,
}) => {
  const id = await project.newSession();
  const reasons = ['user', 'idle', 'project_deleted', 'user', 'idle'] as const;
  const closed = await Promise.all(reasons.map((reason) => closeSession(project, id, reason)));
  expect(closed.filter(Boolean)).toHaveLength(1);
  const session = await findSession(project, { id, userId: project.userId });
  expect(session?.closeReason).toBe(reasons[closed.indexOf(true)]);
});
