import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { createTestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { observeStatements } from '../../statement/statement-run.ts';
import { markAgentStarted, requestAgentStop } from '../agents/agent-changes.ts';
import { insertAgent } from '../agents/agent-insertion.ts';
import { restartAgent } from '../agents/agent-restarts.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { startRecorder } from '../recording/recorders.ts';
import { closeSession } from '../sessions/session-end.ts';
import { COUNT_MESSAGES_OF_USER, readStatistics } from './statistics.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('everything in the user’s projects is counted, and nothing else', async ({ project }) => {
  const { sql, projectId, userId } = project;
  const [recorded, waiting, closed, deleted] = [
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
  ];
  const [live, stale] = [uuidv7(), uuidv7()];
  for (const id of [live, stale]) await startRecorder(project, { id, capacity: 9 });
  await sql`
    update recording_assignments set recorder_id = ${live}, status = 'recording', connected_at = now(), attempts = 2
    where session_id = ${recorded}`;
  await sql`update recording_assignments set recorder_id = ${stale} where session_id = ${waiting}`;
  await sql`update recorders set heartbeat_at = now() + interval '1 min', load = 10 where id = ${live}`;
  await sql`update recorders set heartbeat_at = now() - interval '16 s' where id = ${stale}`;
  await sql`update sessions set created_at = now() - interval '16 s' where id = ${waiting}`;
  await appendMessages(project, [typedText(recorded), typedText(closed), typedText(deleted)]);
  await sql`update messages set "timestamp" = now() - interval '61 s' where session_id = ${closed}`;
  for (const id of [closed, deleted]) await closeSession(project, id, 'user');
  await sql`update sessions set deleted_at = now() where id = ${deleted}`;
  const agent = { planId: null, envTemplateId: null, config: {}, createdBy: userId };
  await insertAgent(project, { id: uuidv7(), sessionId: recorded, role: 'echo-agent', ...agent });
  await sql`update agents set created_at = now() - interval '31 s'`;
  expect(await readStatistics(project, userId)).toEqual({
    sessions: { active: 2, recording: 1, reconnecting: 0, waiting: 1, lost: 0 },
    messages: { total: 2, lastMinute: 1, lastMessageAt: ISO },
    agents: { starting: 1, running: 0 },
    recorders: [
      { id: live, status: 'live', sessions: 1, heartbeatAt: ISO, clockOffsetMs: 0 },
      { id: stale, status: 'stale', sessions: 1, heartbeatAt: ISO, clockOffsetMs: 0 },
    ],
    monitored: [
      {
        sessionId: recorded,
        projectId,
        name: 'a talk',
        recorderId: live,
        recorderIds: [live],
        status: 'recording',
        connectedSince: ISO,
        messageCount: 1,
        lastMessageAt: ISO,
        reconnectAttempts: 2,
      },
      {
        sessionId: waiting,
        projectId,
        name: 'a talk',
        recorderId: null,
        recorderIds: [],
        status: 'waiting',
        connectedSince: null,
        messageCount: 0,
        lastMessageAt: null,
        reconnectAttempts: 0,
      },
    ],
    webhooks: { lastAt: null },
    drift: {
      unrecordedActiveSessions: 1,
      underRecordedSessions: 1,
      agentsWithoutWorkload: 1,
      staleRecorders: 1,
      recordersOverCapacity: 1,
      recordersWithWrongClock: 0,
    },
  });
  expect(await readStatistics(project, await project.newUser())).toEqual({
    sessions: { active: 0, recording: 0, reconnecting: 0, waiting: 0, lost: 0 },
    messages: { total: 0, lastMinute: 0, lastMessageAt: null },
    agents: { starting: 0, running: 0 },
    recorders: [],
    monitored: [],
    webhooks: { lastAt: null },
    drift: {
      unrecordedActiveSessions: 0,
      underRecordedSessions: 0,
      agentsWithoutWorkload: 0,
      staleRecorders: 0,
      recordersOverCapacity: 0,
      recordersWithWrongClock: 0,
    },
  });
});

test('sessions are counted by the state of their recording, and those unrecorded for 15 s as drift', async ({
  project,
}) => {
  const ids = await project.newSessions(6);
  const recorderId = uuidv7();
  await startRecorder(project, { id: recorderId, capacity: 9 });
  await project.sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  const states = ['recording', 'reconnecting', 'connecting', 'lost', 'waiting', 'waiting'];
  for (const [index, status] of states.entries()) {
    const holder = index < 3 ? recorderId : null;
    await project.sql`
      update recording_assignments set status = ${status}, recorder_id = ${holder}
      where session_id = ${ids[index] ?? ''}`;
  }
  // The last waiting session is new; the others have waited.
  await project.sql`
    update sessions set created_at = now() - interval '15.1 s' where id <> ${ids[5] ?? ''}`;
  expect(await readStatistics(project, project.userId)).toMatchObject({
    sessions: { active: 6, recording: 1, reconnecting: 1, waiting: 3, lost: 1 },
    drift: {
      unrecordedActiveSessions: 3,
      underRecordedSessions: 4,
      staleRecorders: 0,
      recordersOverCapacity: 0,
    },
    recorders: [{ id: recorderId, status: 'live', sessions: 3 }],
  });
});

test('an agent without a workload counts as drift after 30 s, and only while it is wanted', async ({
  project,
}) => {
  const agentsWithoutWorkload = async () =>
    (await readStatistics(project, project.userId)).drift.agentsWithoutWorkload;
  const id = await addAgent(project);
  // An external agent never has a workload.
  await addAgent(project, { role: 'external' });
  expect(await agentsWithoutWorkload()).toBe(0);
  await project.sql`update agents set created_at = now() - interval '30.1 s'`;
  expect(await agentsWithoutWorkload()).toBe(1);
  await requestAgentStop(project, id, 'requested');
  expect(await agentsWithoutWorkload()).toBe(0);
  await project.sql`update agents set desired = 'running'`;
  await markAgentStarted(project, id);
  expect(await agentsWithoutWorkload()).toBe(0);
  await restartAgent(project, id, { reason: 'crashed', delayMs: 0, restarts: 0 });
  expect(await agentsWithoutWorkload()).toBe(0);
  await project.sql`update agents set restart_at = now() - interval '30.1 s'`;
  expect(await agentsWithoutWorkload()).toBe(1);
  await markAgentStarted(project, id, 1);
  expect(await agentsWithoutWorkload()).toBe(0);
});

test('the time of the newest message is that of no event, however many sessions ended since', async ({
  project,
}) => {
  const { sql, userId } = project;
  const ids = await project.newSessions(60);
  await appendMessages(
    project,
    ids.map((id) => typedText(id)),
  );
  await project.newSessions(30);
  await sql`
    update messages set "timestamp" = now() - interval '1 min' * array_position(${ids}::uuid[], session_id)`;
  await sql`
    update session_heads head set last_at = message."timestamp" from messages message
    where message.session_id = head.session_id`;
  const [first = ''] = ids;
  // All other sessions with a message end, so their heads are above that of the session with the newest message.
  for (const id of ids.slice(1)) await closeSession(project, id, 'idle');
  const [row] = await sql`select max("timestamp") as at, count(*)::int as count from messages`;
  const { messages } = await readStatistics(project, userId);
  expect(messages).toMatchObject({ total: row?.['count'], lastMessageAt: row?.['at'] });
  const [newest] = await sql`select "timestamp" as at from messages where session_id = ${first}`;
  expect(newest?.['at']).toBe(messages.lastMessageAt);
});

test('the messages of 500 closed sessions are counted with a look at the newest messages of a few', async () => {
  await using project = await createTestProject();
  const { fill, projectId, userId } = project;
  await fill`
    insert into sessions (id, project_id, name, created_by, status, close_reason, created_at, closed_at)
    select gen_random_uuid(), ${projectId}, 'a talk', ${userId}, 'CLOSED', 'user',
      now() - n * interval '1 h', now() - n * interval '1 h' + interval '2 min'
    from generate_series(1, 500) n`;
  await fill`
    insert into session_heads (session_id, last_at, message_count) select id, closed_at, 1 from sessions`;
  await fill`
    insert into messages (session_id, id, "timestamp", role, status, kind, content, metadata)
    select id, gen_random_uuid(), created_at + interval '1 min', 'user', 'complete', 'text', 'hello', '{"rawId": null}'
    from sessions`;
  await fill`analyze`;
  const plan = await fill.unsafe(
    `explain (analyze, costs off, timing off) ${COUNT_MESSAGES_OF_USER.text}`,
    [userId],
  );
  const lines = plan.map((row) => String(row['QUERY PLAN']));
  const looks = lines.flatMap((line) =>
    Array.from(/ on messages newest.*loops=(\d+)/.exec(line)?.slice(1) ?? [], Number),
  );
  const sum = looks.reduce((total, count) => total + count, 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(100);
});

test('no statement begins when nobody waits any more', async ({ project }) => {
  const names: string[] = [];
  let leftMs = 60_000;
  using _ = observeStatements(({ name }) => {
    names.push(name);
    if (names.filter((ended) => ended.startsWith('count_')).length === 2) leftMs = 0;
  });
  await expect(readStatistics(project, project.userId, () => leftMs)).rejects.toMatchObject({
    code: 'unavailable',
  });
  const limits = ['limit_statements', 'limit_statements'];
  expect(names.toSorted()).toEqual(['count_messages_of_user', 'count_sessions_of_user', ...limits]);
});

test('PostgreSQL ends a statement when nobody waits any more', async ({ project }) => {
  await using _ = await holdLocks(project.url, async (sql) => await sql`lock table session_heads`);
  await expect(readStatistics(project, project.userId, () => 1)).rejects.toMatchObject({
    code: '57014',
  });
});
