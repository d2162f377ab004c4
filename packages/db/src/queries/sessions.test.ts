import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, typedText } from '../../testing/project.ts';
import { prepareAgentQueries } from './agents.ts';
import { prepareMessageQueries } from './messages.ts';
import { prepareRecorderQueries } from './recorders.ts';
import { prepareSlotQueries } from './slots.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a new session is ACTIVE, waits for a recorder, and has a head and one slot', async () => {
  await using project = await createTestProject();
  const { sql, sessions, userId, projectId } = project;
  const id = await project.newSession();
  expect(await sessions.findSession({ id, userId })).toEqual({
    id,
    projectId,
    name: 'a talk',
    status: 'ACTIVE',
    closeReason: null,
    createdBy: userId,
    createdAt: ISO,
    updatedAt: ISO,
    closedAt: null,
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

test('a user who is no member creates no session and finds none', async () => {
  await using project = await createTestProject();
  const { sql, sessions, projectId } = project;
  const id = await project.newSession();
  const stranger = await project.newUser();
  const theirs = { id: uuidv7(), projectId, name: 'x', createdBy: stranger };
  expect(await sessions.insertSession(theirs)).toBe(false);
  expect(await sessions.findSession({ id, userId: stranger })).toBeUndefined();
  const page = { status: undefined, cursor: undefined, limit: 9 };
  expect(await sessions.listSessions({ projectId, userId: stranger, ...page })).toBeUndefined();
  expect(await sql`select id from sessions`).toHaveLength(1);
});

test('pages of sessions have the newest first, each once, filtered by status; an unknown cursor is reported', async () => {
  await using project = await createTestProject();
  const { sessions, userId, projectId } = project;
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.unshift(await project.newSession());
  await sessions.closeSession(ids[1] ?? '', 'user');
  const read = async (cursor: string | undefined, status?: 'ACTIVE' | 'CLOSED') => {
    const page = { projectId, userId, status, cursor, limit: 2 };
    const answer = await sessions.listSessions(page);
    return [answer?.isCursorKnown, answer?.sessions.map(({ id }) => id)];
  };
  expect(await read(undefined)).toEqual([true, [ids[0], ids[1]]]);
  expect(await read(ids[1])).toEqual([true, [ids[2], ids[3]]]);
  expect(await read(ids[3])).toEqual([true, [ids[4]]]);
  expect(await read(ids[4])).toEqual([true, []]);
  expect(await read(undefined, 'CLOSED')).toEqual([true, [ids[1]]]);
  expect(await read(ids[0], 'ACTIVE')).toEqual([true, [ids[2], ids[3]]]);
  expect(await read(uuidv7())).toEqual([false, []]);
});

test('a session is closed once, keeps the first reason, and its agents are asked to stop', async () => {
  await using project = await createTestProject();
  const { sql, sessions, userId } = project;
  const agents = prepareAgentQueries(project);
  const sessionId = await project.newSession();
  const agent = { planId: null, envTemplateId: null, config: {}, createdBy: userId };
  const id = uuidv7();
  await agents.insertAgent({ id, sessionId, role: 'echo-agent', ...agent });
  expect(await sessions.closeSession(sessionId, 'user')).toBe(true);
  expect(await sessions.closeSession(sessionId, 'idle')).toBe(false);
  expect(await sessions.findSession({ id: sessionId, userId })).toMatchObject({
    status: 'CLOSED',
    closeReason: 'user',
    closedAt: ISO,
  });
  expect(await sql`select desired, status, reason from agents`).toEqual([
    { desired: 'stopped', status: 'Starting', reason: 'session_closed' },
  ]);
  const late = { id: uuidv7(), sessionId, role: 'light-agent', ...agent };
  expect(await agents.insertAgent(late)).toBe('session_closed');
});

test('a session’s recording is that of its recorder; when the recorder is dead, the session waits', async () => {
  await using project = await createTestProject();
  const { sql, sessions, userId } = project;
  const id = await project.newSession();
  await prepareMessageQueries(project).appendMessages([typedText(id, { receivedAt: 0 })]);
  const recorderId = uuidv7();
  await prepareRecorderQueries(project).startRecorder({ id: recorderId, capacity: 9 });
  const slotQueries = prepareSlotQueries(project);
  const [slot] = await slotQueries.claimSlots({ recorderId, limit: 1, capacity: 9 });
  const key = { sessionId: id, slot: 0, recorderId, epoch: slot?.epoch ?? 0 };
  const connectedAt = '2026-11-21T08:00:00.100Z';
  const state = { connectedAt, attempts: 0, failure: null };
  await slotQueries.updateSlot(key, { status: 'recording', ...state });
  await sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  expect(await sessions.findSession({ id, userId })).toMatchObject({
    recordingStatus: 'recording',
    connectedAt,
    messageCount: 1,
    lastMessageAt: ISO,
  });
  await sql`update recorders set heartbeat_at = now() - interval '2.01 s'`;
  expect(await sessions.findSession({ id, userId })).toMatchObject({
    recordingStatus: 'reconnecting',
    connectedAt: null,
  });
  await sql`update recorders set heartbeat_at = now() - interval '16 s'`;
  expect(await sessions.findSession({ id, userId })).toMatchObject({
    recordingStatus: 'waiting',
    connectedAt: null,
  });
});

test('a session is finished when it is CLOSED and no live recorder holds it, or after 9 s', async () => {
  await using project = await createTestProject();
  const { sql, sessions } = project;
  const [active, held, free] = [
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
  ];
  const recorderId = uuidv7();
  await prepareRecorderQueries(project).startRecorder({ id: recorderId, capacity: 9 });
  await sql`update recording_assignments set recorder_id = ${recorderId} where session_id = ${held}`;
  await sessions.closeSession(held, 'user');
  await sessions.closeSession(free, 'user');
  const rooms = [active, held, free, uuidv7()];
  expect(await sessions.listFinishedSessions(rooms)).toEqual([free]);
  await sql`update sessions set closed_at = now() - interval '10 s' where id = ${held}`;
  expect(new Set(await sessions.listFinishedSessions(rooms))).toEqual(new Set([held, free]));
  expect(await sessions.listFinishedSessions([])).toEqual([]);
});
