import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { appendLogLines } from '../../../testing/agent-logs.ts';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { addRecorder, ageHeartbeat, claimSlot } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { findProject } from '../accounts/projects.ts';
import { updateAgentState } from '../agents/agent-changes.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listDeletedSessions } from './deleted-sessions.ts';
import {
  deleteAgentLogs,
  deleteAgents,
  deleteMessages,
  deleteProjects,
  deleteSession,
  forgetDeletedRooms,
  listDeletedRooms,
  markProjectDeleted,
  markSessionDeleted,
} from './deletions.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';
import { findSession } from './sessions.ts';

async function openSetting() {
  const project = await createTestProject();
  return {
    project,

    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

/** Returns the number of rows of each table that belongs to a session. */
async function rowsOf({ sql }: TestProject, sessionId: string) {
  const [counts] = await sql`
    select (select count(*)::int from sessions where id = ${sessionId}) as sessions,
      (select count(*)::int from session_heads where session_id = ${sessionId}) as heads,
      (select count(*)::int from messages where session_id = ${sessionId}) as messages,
      (select count(*)::int from recording_assignments where session_id = ${sessionId}) as slots,
      (select count(*)::int from agents where session_id = ${sessionId}) as agents`;
  return counts;
}

test('a marked session is found by nobody, takes no more messages, and keeps its rows for the batches', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  await using notifications = await openNotifications(project.url);
  expect(await markSessionDeleted(project, sessionId)).toBe(true);
  expect(await notifications.take()).toEqual([`session_changed ${sessionId}`]);
  const key = { id: sessionId, userId: project.userId };
  expect(await findSession(project, key)).toBeUndefined();
  const late = await appendMessages(project, [typedText(sessionId)]);
  expect(late).toMatchObject({ sessions: 0, stored: 0 });
  expect(await rowsOf(project, sessionId)).toMatchObject({ sessions: 1, heads: 0, messages: 1 });
  expect(await markSessionDeleted(project, sessionId)).toBe(false);
  expect(await notifications.take()).toEqual([]);
});

test('an unknown session cannot be marked, and nothing else is', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  expect(await markSessionDeleted(project, uuidv7())).toBe(false);
  expect(await markProjectDeleted(project, uuidv7())).toBe(false);
  expect(await rowsOf(project, sessionId)).toMatchObject({ sessions: 1, heads: 1 });
});

test('a session that was closed before keeps its reason and its time when it is marked', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  await closeSession(project, sessionId, 'idle');
  await project.sql`update sessions set closed_at = '2026-11-21T08:00:00Z'`;
  await markSessionDeleted(project, sessionId);
  expect(await project.sql`select status, close_reason, closed_at from sessions`).toEqual([
    { status: 'CLOSED', close_reason: 'idle', closed_at: '2026-11-21T08:00:00.000Z' },
  ]);
});

test('marking asks the agents to stop, and a session waits for the last of them', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  const id = await addAgent(project, { sessionId });
  await markSessionDeleted(project, sessionId);
  expect(await project.sql`select desired, reason from agents`).toEqual([
    { desired: 'stopped', reason: 'session_closed' },
  ]);
  expect(await listDeletedSessions(project, 9)).toEqual([]);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await updateAgentState(project, id, end);
  expect(await listDeletedSessions(project, 9)).toEqual([sessionId]);
});

test('a marked session waits for its live recorder, but not for a dead one, nor for longer than 9 s', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  const recorderId = await addRecorder(project);
  await claimSlot(project, recorderId, sessionId);
  await markSessionDeleted(project, sessionId);
  expect(await listDeletedSessions(project, 9)).toEqual([]);
  await ageHeartbeat(project, recorderId, 15_100);
  expect(await listDeletedSessions(project, 9)).toEqual([sessionId]);
  await ageHeartbeat(project, recorderId, 0);
  await project.sql`update sessions set closed_at = now() - interval '9.1 s'`;
  expect(await listDeletedSessions(project, 9)).toEqual([sessionId]);
});

test('marked sessions are listed in the order of their marks, up to a limit', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const [first = '', second = '', third = ''] = await project.newSessions(3);
  for (const id of [second, third, first]) await markSessionDeleted(project, id);
  for (const [index, id] of [second, third, first].entries()) {
    await project.sql`
      update sessions set deleted_at = now() + ${index}::int * interval '1 s' where id = ${id}`;
  }
  expect(await listDeletedSessions(project, 2)).toEqual([second, third]);
  expect(await listDeletedSessions(project, 9)).toEqual([second, third, first]);
});

test('messages are deleted in batches, the oldest first, and those of other sessions stay', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const batch = Array.from({ length: 25 }, (_, index) =>
    typedText(sessionId, { content: `${index}` }),
  );
  await appendMessages(project, [...batch, typedText(other)]);
  const counts: number[] = [];
  for (const limit of [10, 10, 10, 10]) {
    counts.push(await deleteMessages(project, sessionId, limit));
    const [oldest] = await project.sql`
      select content from messages where session_id = ${sessionId} order by "timestamp" limit 1`;
    expect(oldest?.['content']).toBe(counts.length < 3 ? `${counts.length * 10}` : undefined);
  }
  expect(counts).toEqual([10, 10, 5, 0]);
  expect(await rowsOf(project, other)).toMatchObject({ messages: 1 });
});

test('two processes that delete the same messages at once delete each once', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  await appendMessages(
    project,
    Array.from({ length: 60 }, () => typedText(sessionId)),
  );
  await using own = openDatabase(project.url, { connections: 1 });
  const drain = async (database: DatabaseAccess) => {
    let sum = 0;
    for (;;) {
      const count = await deleteMessages(database, sessionId, 7);
      sum += count;
      if (count === 0) return sum;
    }
  };
  const sums = await Promise.all([drain(project), drain(own)]);
  expect(sums[0] + sums[1]).toBe(60);
  expect(await rowsOf(project, sessionId)).toMatchObject({ messages: 0 });
});

test('what agents printed is deleted in batches, and then the agents, and those of other sessions stay', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const agents = [
    await addAgent(project, { sessionId }),
    await addAgent(project, { sessionId, role: 'light-agent' }),
    await addAgent(project, { sessionId: other }),
  ];
  for (const id of agents) await appendLogLines(project, id, [2, 3, 4]);
  const counts: number[] = [];
  for (let call = 0; call < 3; call += 1) counts.push(await deleteAgentLogs(project, sessionId, 4));
  expect(counts).toEqual([4, 2, 0]);
  expect(await deleteAgents(project, sessionId, 1)).toBe(1);
  expect(await deleteAgents(project, sessionId, 9)).toBe(1);
  expect(await project.sql`select distinct agent_id as id from agent_logs`).toEqual([
    { id: agents[2] },
  ]);
  expect(await rowsOf(project, other)).toMatchObject({ agents: 1 });
});

test('a marked session goes with all that belongs to it, and its room stays noted', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const [sessionId = '', kept = ''] = await project.newSessions(2);
  await addAgent(project, { sessionId });
  await deleteSession(project, sessionId);
  expect(await rowsOf(project, sessionId)).toMatchObject({ sessions: 1 });
  await markSessionDeleted(project, sessionId);
  for (const _ of ['first', 'again']) await deleteSession(project, sessionId);
  expect(await rowsOf(project, sessionId)).toEqual({
    sessions: 0,
    heads: 0,
    messages: 0,
    slots: 0,
    agents: 0,
  });
  expect(await rowsOf(project, kept)).toMatchObject({ sessions: 1, heads: 1, slots: 1 });
  expect(await listDeletedRooms(project, [sessionId, kept, uuidv7()])).toEqual([sessionId]);
});

test('the note of a room lasts 25 h from the last time that the room was seen', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  await markSessionDeleted(project, sessionId);
  await deleteSession(project, sessionId);
  await project.sql`update deleted_rooms set barred_until = now() + interval '1 min'`;
  await forgetDeletedRooms(project);
  expect(await listDeletedRooms(project, [sessionId])).toEqual([sessionId]);
  const hours = await project.sql`
    select round(extract(epoch from barred_until - now()) / 3600)::int as hours from deleted_rooms`;
  expect(hours).toEqual([{ hours: 25 }]);
  await project.sql`update deleted_rooms set barred_until = now() - interval '1 ms'`;
  await forgetDeletedRooms(project);
  expect(await listDeletedRooms(project, [sessionId])).toEqual([]);
});

test('a marked project is gone for its members with all its sessions, and other projects are not touched', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const { projectId, userId } = project;
  const ids = await project.newSessions(3);
  await closeSession(project, ids[1] ?? '', 'idle');
  const elsewhere = await project.newProject();
  const other = { id: uuidv7(), projectId: elsewhere.projectId, createdBy: elsewhere.userId };
  await insertSession(project, { ...other, name: 'elsewhere' });
  await using notifications = await openNotifications(project.url);
  expect(await markProjectDeleted(project, projectId)).toBe(true);
  expect((await notifications.take()).toSorted()).toEqual(
    ids.map((id) => `session_changed ${id}`).toSorted(),
  );
  expect(await markProjectDeleted(project, projectId)).toBe(false);
  expect(await findProject(project, { id: projectId, userId })).toBeUndefined();
  expect(await findProject(project, { id: elsewhere.projectId, ...elsewhere })).toMatchObject({
    memberRole: 'OWNER',
  });
  for (const id of ids) expect(await rowsOf(project, id)).toMatchObject({ sessions: 1, heads: 0 });
  expect(await rowsOf(project, other.id)).toMatchObject({ sessions: 1, heads: 1 });
  const reasons = await project.sql`
    select close_reason from sessions where project_id = ${projectId} order by id`;
  expect(reasons.map((row) => row['close_reason'])).toEqual([
    'project_deleted',
    'idle',
    'project_deleted',
  ]);
});

test('a project goes after the last of its sessions', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  await markProjectDeleted(project, project.projectId);
  expect(await deleteProjects(project)).toEqual([]);
  await deleteSession(project, sessionId);
  expect(await deleteProjects(project)).toEqual([project.projectId]);
  expect(await deleteProjects(project)).toEqual([]);
});

test('writers of messages and a deletion at the same moment: nothing is stored after the mark', async () => {
  await using setting = await openSetting();
  const { project } = setting;
  const sessionId = await project.newSession();
  const write = async () => {
    const counts: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const { stored } = await appendMessages(project, [typedText(sessionId)]);
      counts.push(stored);
    }
    return counts;
  };
  const writing = [write(), write(), write()];
  await markSessionDeleted(project, sessionId);
  const [row] = await project.sql`
    select count(*)::int as count from messages where session_id = ${sessionId}`;
  const written = (await Promise.all(writing)).flat();
  // Each writer stores up to the mark, and nothing after it.
  for (const counts of await Promise.all(writing)) {
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  }
  expect(row?.['count']).toBe(written.filter((stored) => stored === 1).length);
});
