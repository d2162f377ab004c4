import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { fillAll } from '../../../testing/search.ts';
import { foldAll } from '../../../testing/sequences.ts';
import { updateProject } from '../accounts/projects.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { latestMessages } from '../messages/latest-messages.ts';
import { pageMessages } from '../messages/read-messages.ts';
import { markSessionDeleted } from './deletions.ts';
import { deleteExpiredMessages, listOldSessions, listProjectsWithRetention } from './retention.ts';
import { closeSession } from './session-end.ts';
import { findSession } from './sessions.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';
const FIRST = '00000000-0000-0000-0000-000000000000';
const START = { id: FIRST, createdAt: EPOCH };

/** Makes everything of a session `days` days older. */
async function age({ sql }: TestProject, sessionId: string, days: number): Promise<void> {
  const by = `${days} days`;
  await sql`update sessions set created_at = created_at - ${by}::interval, closed_at = closed_at - ${by}::interval where id = ${sessionId}`;
  await sql`
    update messages set "timestamp" = "timestamp" - ${by}::interval, completed_at = completed_at - ${by}::interval
    where session_id = ${sessionId}`;
  await sql`update session_heads set last_at = last_at - ${by}::interval where session_id = ${sessionId}`;
}

async function say(project: TestProject, sessionId: string, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, () => typedText(sessionId));
  await appendMessages(project, messages);
  return messages.map(({ id }) => id);
}

async function read(project: TestProject, sessionId: string, since: string) {
  const { userId } = project;
  const latest = await latestMessages(project, { sessionId, userId, since, limit: 100 });
  if (!latest) throw new Error('the session is there');
  return { ...latest, ids: latest.messages.map(({ id }) => id) };
}

test('old sessions are listed in their order, each with what of it is too old', async ({
  project,
}) => {
  const { projectId } = project;
  const [active, closed, recent, deleted, empty, young] = await project.newSessions(6);
  if (!(active && closed && recent && deleted && empty && young)) throw new Error('there are six');
  for (const id of [active, closed, recent, deleted]) await say(project, id, 1);
  for (const id of [closed, deleted]) await closeSession(project, id, 'user');
  await markSessionDeleted(project, deleted);
  const old = [active, closed, recent, deleted, empty];
  for (const id of old) await age(project, id, 31);
  // Old, and closed today.
  await closeSession(project, recent, 'user');
  const list = async (place: { id: string; createdAt: string } = START, limit = 100) =>
    await listOldSessions(project, projectId, place, limit);
  expect(await list()).toEqual([]);
  expect(await listProjectsWithRetention(project, FIRST, 10)).toEqual([]);
  await updateProject(project, projectId, { retentionDays: 30 });
  expect(await listProjectsWithRetention(project, FIRST, 10)).toEqual([projectId]);
  expect(await listProjectsWithRetention(project, projectId, 10)).toEqual([]);
  const listed = await list();
  expect(Object.fromEntries(listed.map(({ id, expired }) => [id, expired]))).toEqual({
    [active]: 'messages',
    [closed]: 'session',
    [recent]: null,
    [deleted]: null,
    [empty]: null,
  });
  const first = await list(START, 2);
  expect([...first, ...(await list(first[1], 100))]).toEqual(listed);
  await updateProject(project, projectId, { retentionDays: 32 });
  expect(await list()).toEqual([]);
});

test('messages of an ACTIVE session go in batches, the oldest first, and the session says until when', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  await say(project, id, 5);
  await age(project, id, 31);
  const kept = await say(project, id, 2);
  await sql`
    insert into message_search (session_id, message_id, project_id, seen_at, words)
    select session_id, id, ${projectId}, "timestamp", '' from messages`;
  const found = async () => await findSession(project, { id, userId });
  expect(await found()).toMatchObject({ historyFrom: null, messageCount: 7 });
  const [, third] = await sql`select "timestamp" as at from messages order by "timestamp" offset 1`;
  expect(await deleteExpiredMessages(project, id, 3)).toBe(3);
  const after = await found();
  expect(after).toMatchObject({ messageCount: 4 });
  expect(after?.historyFrom).toBe(new Date(third?.['at']).toISOString());
  expect(await deleteExpiredMessages(project, id, 3)).toBe(2);
  expect(await deleteExpiredMessages(project, id, 3)).toBe(0);
  expect((await found())?.historyFrom).not.toBe(after?.historyFrom);
  expect(await found()).toMatchObject({ messageCount: 2 });
  const page = await pageMessages(project, { sessionId: id, userId, limit: 10, order: 'asc' });
  expect(page?.messages.map((message) => message.id)).toEqual(kept);
  expect(await sql`select message_id from message_search order by seen_at`).toEqual(
    kept.map((message) => ({ message_id: message })),
  );
});

test('nothing goes from a CLOSED session, from one of a project without a limit, or by a change in the meantime', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const id = await project.newSession();
  await say(project, id, 1);
  await age(project, id, 31);
  expect(await deleteExpiredMessages(project, id, 10)).toBe(0);
  await updateProject(project, projectId, { retentionDays: 30 });
  await closeSession(project, id, 'user');
  expect(await deleteExpiredMessages(project, id, 10)).toBe(0);
  expect(await sql`select from messages`).toHaveLength(1);
});

test('what was changed or imported lately is kept, also with an old time', async ({ project }) => {
  const { projectId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  const [first] = await say(project, id, 2);
  await age(project, id, 31);
  await sql`update messages set completed_at = now() where id = ${first ?? ''}`;
  expect(await deleteExpiredMessages(project, id, 10)).toBe(1);
  expect(await sql`select id from messages`).toEqual([{ id: first }]);
  await sql`update messages set completed_at = now() - interval '30 days 1 s'`;
  expect(await deleteExpiredMessages(project, id, 10)).toBe(1);
});

test('messages go in the order in which they became visible last', async ({ project }) => {
  const { projectId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  const [first = '', , third = ''] = await say(project, id, 3);
  await age(project, id, 31);
  await sql`update messages set completed_at = now() - interval '30 days 1 h' where id = ${first}`;
  const left: string[][] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await deleteExpiredMessages(project, id, 1)).toBe(1);
    const rows = await sql<{ id: string }[]>`select id from messages order by "timestamp"`;
    left.push(rows.map((row) => row.id));
  }
  expect(left).toEqual([[first, third], [first], []]);
});

test('a batch begins where the last one ended, so that none reads again what was completed since', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  await say(project, id, 2);
  await age(project, id, 31);
  await sql`update sessions set history_from = (select min("timestamp") from messages) where id = ${id}`;
  expect(await deleteExpiredMessages(project, id, 10)).toBe(1);
});

test.for(['search index', 'search for missing messages'] as const)(
  'what the %s has still to read is kept until it has',
  async (behind, { project }) => {
    const { projectId, sql } = project;
    const id = await project.newSession();
    await updateProject(project, projectId, { retentionDays: 30 });
    await say(project, id, 2);
    await fillAll(project);
    await foldAll(project);
    const kept = await say(project, id, 3);
    const [ahead, late] = behind === 'search index' ? [foldAll, fillAll] : [fillAll, foldAll];
    await ahead(project);
    await age(project, id, 31);
    await sql`
      update follower_positions set position = position - interval '31 days', wanted = wanted - interval '31 days'`;
    expect(await deleteExpiredMessages(project, id, 10)).toBe(2);
    expect(await sql`select id from messages order by "timestamp"`).toEqual(
      kept.map((message) => ({ id: message })),
    );
    await late(project);
    expect(await deleteExpiredMessages(project, id, 10)).toBe(3);
    expect(await sql`select from message_search`).toHaveLength(0);
  },
);

test('a reader that has not read what is deleted is reset once, to the first position that is kept; others read on', async ({
  project,
}) => {
  const { projectId } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  await say(project, id, 2);
  await age(project, id, 31);
  const { messages } = await read(project, id, EPOCH);
  const [first, second] = messages.map(({ seenAt }) => seenAt);
  if (!(first && second)) throw new Error('there are two');
  await deleteExpiredMessages(project, id, 10);
  const kept = await say(project, id, 1);
  const reset = await read(project, id, first);
  expect(reset).toMatchObject({ isReset: true, ids: [], nextSince: second, hasMore: true });
  for (const since of [reset.nextSince, second, EPOCH]) {
    expect(await read(project, id, since)).toMatchObject({ isReset: false, ids: kept });
  }
});

test('a reader that has just read all that is left is not reset, although its newest message is old', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  const ids = await say(project, id, 5);
  await age(project, id, 31);
  // Two messages were erased lately: both stay, and keep their times.
  const erased = [ids[1] ?? '', ids[3] ?? ''];
  await sql`update messages set completed_at = now() where id = ${erased[0] ?? ''}`;
  await sql`update messages set completed_at = now() + interval '1 ms' where id = ${erased[1] ?? ''}`;
  expect(await deleteExpiredMessages(project, id, 10)).toBe(3);
  const newest = async () => {
    const page = await pageMessages(project, { sessionId: id, userId, limit: 1 });
    return page?.messages[0]?.timestamp ?? '';
  };
  expect(await read(project, id, await newest())).toMatchObject({ isReset: false, ids: erased });
  const [second] = await sql`select "timestamp" as at from messages where id = ${erased[0] ?? ''}`;
  const before = new Date(second?.['at']).toISOString();
  expect(await read(project, id, before)).toMatchObject({ isReset: true });
  const old = await newest();
  await say(project, id, 1);
  // The reader did not yet have the new message, so it is reset once.
  expect(await read(project, id, old)).toMatchObject({ isReset: true });
  expect(await read(project, id, await newest())).toMatchObject({ isReset: false });
});

test('a writer and a deletion of the same session wait for each other, and both keep the number of messages', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const id = await project.newSession();
  await updateProject(project, projectId, { retentionDays: 30 });
  await say(project, id, 50);
  await age(project, id, 31);
  const messages = Array.from({ length: 20 }, () => typedText(id, { id: uuidv7() }));
  await Promise.all([
    ...messages.map((message) => appendMessages(project, [message])),
    ...Array.from({ length: 10 }, () => deleteExpiredMessages(project, id, 7)),
  ]);
  const stored = await sql`select from messages`;
  expect(stored.length).toBeLessThan(70);
  expect(await findSession(project, { id, userId })).toMatchObject({
    messageCount: stored.length,
  });
  // What a statement saw before it waited may be gone. In that case it deletes less than it could.
  while ((await deleteExpiredMessages(project, id, 7)) > 0);
  expect(await findSession(project, { id, userId })).toMatchObject({ messageCount: 20 });
});
