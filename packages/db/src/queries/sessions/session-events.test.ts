import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { openDatabase } from '../../connection/client.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { updateAgentState } from '../agents/agent-changes.ts';
import { followSession } from '../followers/followed-versions.ts';
import { changeWebhook } from '../followers/webhook-changes.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { importMessages } from '../messages/imported-messages.ts';
import { latestMessages } from '../messages/latest-messages.ts';
import { deleteSession, markProjectDeleted, markSessionDeleted } from './deletions.ts';
import { closeSession } from './session-end.ts';
import { deleteOldEvents, listSessionEvents } from './session-events.ts';
import { findSession } from './sessions.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';
const UNTIL = '2999-01-01T00:00:00.000Z';
const RUNNING = { status: 'Running', reason: null, detail: null, exitCode: null } as const;
const STOPPED = { status: 'Stopped', reason: 'completed', detail: null, exitCode: 0 } as const;

async function eventsOf(project: TestProject, sessionId: string) {
  return await listSessionEvents(project, { sessionId, since: EPOCH, until: UNTIL });
}

async function typesOf(project: TestProject, sessionId: string) {
  return (await eventsOf(project, sessionId)).map(({ type }) => type);
}

test('a close is an event at its time, after each message; the time of the newest message stays', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  // A writer whose clock is fast.
  await appendMessages(project, [typedText(sessionId, { receivedAt: Date.now() + 900 })]);
  const key = { id: sessionId, userId: project.userId };
  const before = await findSession(project, key);
  await closeSession(project, sessionId, 'idle');
  const after = await findSession(project, key);
  const [created, closed] = await eventsOf(project, sessionId);
  expect(created).toEqual({ type: 'session.created', data: '{}', seenAt: before?.createdAt });
  expect(closed).toEqual({
    type: 'session.closed',
    data: '{"reason": "idle"}',
    seenAt: after?.closedAt,
  });
  expect((after?.closedAt ?? '') > (before?.lastMessageAt ?? '9')).toBe(true);
  expect(after).toMatchObject({ lastMessageAt: before?.lastMessageAt, messageCount: 1 });
  const read = { sessionId, userId: project.userId, since: EPOCH, limit: 9 };
  const latest = await latestMessages(project, read);
  expect(latest?.messages).toHaveLength(1);
  expect(latest?.lastAt).toBe(after?.closedAt);
});

test('an event stands above the floor of the last restore', async ({ project }) => {
  const sessionId = await project.newSession();
  const [row] = await project.sql`
    insert into restores (floor_at) values (now() + interval '1 min') returning floor_at::text as floor`;
  await closeSession(project, sessionId, 'user');
  const [closed] = await project.sql`
    select seen_at - interval '1 ms' = ${row?.['floor']}::timestamptz as is_next from session_events`;
  expect(closed).toEqual({ is_next: true });
});

test('an agent that runs, runs again and stops is an event each time, and notifies; the same state again is none', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const id = await addAgent(project, { sessionId });
  await using notifications = await openNotifications(project.url);
  for (const state of [RUNNING, RUNNING, STOPPED, STOPPED]) {
    await updateAgentState(project, id, state);
  }
  expect(await notifications.take()).toEqual(Array(2).fill(`messages_stored ${sessionId}`));
  const [, running, stopped] = await eventsOf(project, sessionId);
  expect(running?.type).toBe('agent.running');
  expect(JSON.parse(running?.data ?? '')).toEqual({ agentId: id, role: 'echo-agent' });
  expect(stopped?.type).toBe('agent.stopped');
  const end = { agentId: id, role: 'echo-agent', reason: 'completed', exitCode: 0 };
  expect(JSON.parse(stopped?.data ?? '')).toEqual(end);
});

test('a deletion is the last event: an agent that stops later has none', async ({ project }) => {
  const sessionId = await project.newSession();
  const id = await addAgent(project, { sessionId });
  await markSessionDeleted(project, sessionId);
  expect(await updateAgentState(project, id, STOPPED)).toBe(true);
  expect(await typesOf(project, sessionId)).toEqual(['session.created', 'session.deleted']);
});

test('a deletion marks its followers, disabled ones too; who is behind keeps its position until it has read of it', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const sessionId = await project.newSession();
  const [active, disabled, behind] = [
    await addWebhook(project),
    await addWebhook(project),
    await addWebhook(project),
  ];
  await changeWebhook(project, { id: disabled, projectId, by: null }, { status: 'disabled' });
  const late = await addWebhook(project, { startsAt: UNTIL });
  await markSessionDeleted(project, sessionId);
  const positions = async () =>
    (await sql`select follower_id as id from follower_positions order by follower_id`).map(
      (row) => row['id'],
    );
  expect(await positions()).toEqual([active, disabled, behind].toSorted());
  expect(await positions()).not.toContain(late);
  const [event] = await sql`
    update follower_positions set position = wanted where follower_id <> ${behind}
    returning (select seen_at from session_events) = wanted as is_event`;
  expect(event).toEqual({ is_event: true });
  await deleteSession(project, sessionId);
  expect(await positions()).toEqual([behind]);
  const left = await followSession(project, { sessionId, position: EPOCH, limit: 9 });
  expect(left?.versions).toMatchObject([{ type: 'session.deleted' }]);
});

test('the deletion of a project marks the followers of all projects, and stores no event', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const sessionId = await project.newSession();
  await addWebhook(project);
  const id = uuidv7();
  await sql`insert into followers (id, kind, starts_at) values (${id}, 'search', 'epoch')`;
  await markProjectDeleted(project, projectId);
  const marked = await sql`select follower_id, session_id from follower_positions`;
  expect(marked).toEqual([{ follower_id: id, session_id: sessionId }]);
  expect(await sql`select from session_events`).toHaveLength(0);
});

test('events go after 30 days, with the positions of those who never read of a deletion', async ({
  project,
}) => {
  const { sql } = project;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  await addWebhook(project);
  await markSessionDeleted(project, sessionId);
  await closeSession(project, other, 'user');
  await sql`update session_events set seen_at = now() - interval '29 days 23 h'`;
  expect(await deleteOldEvents(project, 9)).toBe(0);
  await sql`update session_events set seen_at = seen_at - interval '2 h'`;
  expect(await deleteOldEvents(project, 1)).toBe(1);
  expect(await deleteOldEvents(project, 9)).toBe(1);
  expect(await sql`select from follower_positions`).toHaveLength(0);
});

/** Closes a session as the release without events did: it locks the row first, and the head not at all. */
async function closeAsFormerly(project: TestProject, sessionId: string): Promise<void> {
  await inTransaction(project, async ({ sql }) => {
    await sql`select from sessions where id = ${sessionId} and status = 'ACTIVE' for no key update`;
    await sql`
      update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now()
      where id = ${sessionId} and status = 'ACTIVE'`;
    await sql`update agents set desired = 'stopped' where session_id = ${sessionId}`;
  });
}

test('messages, imports, agents, closes and deletions of the same sessions at once: no deadlock, and each time once and in order', async ({
  project,
}) => {
  const { sql, url, userId } = project;
  await using own = openDatabase(url, { connections: 12 });
  for (let round = 0; round < 6; round += 1) {
    const sessions = await project.newSessions(4);
    const agents = await Promise.all(
      sessions.map(async (sessionId) => await addAgent(project, { sessionId })),
    );
    const work = sessions.flatMap((sessionId, index) => [
      ...Array.from(
        { length: 3 },
        () => () =>
          appendMessages(own, [...sessions.map((id) => typedText(id)), typedText(sessionId)]),
      ),
      () =>
        importMessages(
          own,
          sessionId,
          [{ id: uuidv7(), role: 'user', content: '', saidAt: 0, metadata: {} }],
          userId,
        ),
      () => updateAgentState(own, agents[index] ?? '', RUNNING),
      () => updateAgentState(own, agents[index] ?? '', STOPPED),
      () => closeSession(own, sessionId, 'user'),
      () => closeAsFormerly({ ...project, sql: own.sql }, sessionId),
      ...(index % 2 === 0 ? [() => markSessionDeleted(own, sessionId)] : []),
    ]);
    work.sort(() => Math.random() - 0.5);
    const outcomes = await Promise.allSettled(work.map(async (act) => await act()));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    for (const sessionId of sessions) {
      const rows = await sql`
        select coalesce(completed_at, "timestamp")::text as at from messages where session_id = ${sessionId}
        union all select seen_at::text from session_events where session_id = ${sessionId}`;
      const times = rows.map((row) => String(row['at']));
      expect(new Set(times).size).toBe(times.length);
      const [head] = await sql`
        select coalesce(
          (select last_at from session_heads where session_id = ${sessionId}),
          (select seen_at from session_events where session_id = ${sessionId} and type = 'session.deleted')
        )::text as at`;
      expect(times.toSorted().at(-1)).toBe(head?.['at']);
    }
  }
});
