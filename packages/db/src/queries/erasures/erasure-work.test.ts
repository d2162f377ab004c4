import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { deleteMessages, deleteSession } from '../sessions/deletions.ts';
import { findSession } from '../sessions/sessions.ts';
import { eraseMessages } from './erased-messages.ts';
import { acknowledgeErasures } from './erasure-acknowledgements.ts';
import {
  countErasures,
  endErasurePass,
  endSessionErasure,
  eraseSession,
  findNextSession,
  listOpenErasures,
  noteErasureFailure,
  noteErasurePlace,
} from './erasure-work.ts';
import { findErasure, insertErasure } from './erasures.ts';

const NO_SCOPE = { sessionId: null, messageIds: null, identity: null, userId: null };

async function insert(
  project: TestProject,
  scope: Partial<typeof NO_SCOPE | { userId: string } | { sessionId: string }>,
) {
  const { projectId, userId: requestedBy } = project;
  const id = uuidv7();
  await insertErasure(project, { id, projectId, requestedBy, ...NO_SCOPE, ...scope });
  return id;
}

const find = async (project: TestProject, id: string) =>
  (await findErasure(project, { id, userId: project.userId }))?.erasure;

function digestOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.toSorted().join(',')).digest('hex');
}

test('the digest follows from the tombstones of all sessions, also after another pass', async ({
  project,
}) => {
  const sessions = await project.newSessions(2);
  const id = await insert(project, { userId: uuidv7() });
  const ids: string[] = [];
  for (const sessionId of sessions) {
    const said = [typedText(sessionId), typedText(sessionId)];
    await appendMessages(project, said);
    const erased = said.slice(0, 1).map((message) => message.id);
    ids.push(...erased);
    await eraseMessages(project, { sessionId, ids: erased, erasureId: id });
    await eraseMessages(project, {
      sessionId,
      ids: [said[1]?.id ?? ''],
      erasureId: await insert(project, { userId: uuidv7() }),
    });
  }
  const place = {
    sessionId: uuidv7(),
    createdAt: '2026-01-01T00:00:00.000Z',
    after: '2026-01-02T00:00:00.000Z',
  };
  await noteErasurePlace(project, { id, status: 'running' }, place);
  const [open] = await listOpenErasures(project, 10);
  expect(open).toMatchObject({ id, place, status: 'running', hasDigest: false });
  const pass = { id, sessionId: null, identity: null };
  expect(await endErasurePass(project, { ...pass, status: 'running' })).toBe(true);
  const waiting = await find(project, id);
  expect(waiting).toMatchObject({
    status: 'waiting',
    digest: digestOf(ids),
    counts: { sessions: 2, messages: 2 },
    erasedAt: expect.any(String),
    finishedAt: null,
  });
  await project.sql`update erasures set requested_at = requested_at - interval '4 s' where id = ${id}`;
  expect((await listOpenErasures(project, 10))[0]).toMatchObject({ id, place: null });
  expect(await endErasurePass(project, { ...pass, status: 'waiting' })).toBe(true);
  expect(await find(project, id)).toMatchObject({
    status: 'done',
    digest: digestOf(ids),
    erasedAt: waiting?.erasedAt,
    finishedAt: expect.any(String),
  });
  expect((await listOpenErasures(project, 10)).map((one) => one.id)).not.toContain(id);
});

test('of two workers on one erasure only one moves it to its next status, and the other changes nothing', async ({
  project,
}) => {
  const id = await insert(project, { userId: uuidv7() });
  const [read] = await listOpenErasures(project, 10);
  if (read?.id !== id) throw new Error('the erasure is open');
  const ended = await Promise.all([endErasurePass(project, read), endErasurePass(project, read)]);
  expect(new Set(ended)).toEqual(new Set([true, false]));
  const [createdAt, after] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  await noteErasurePlace(project, read, { sessionId: uuidv7(), createdAt, after });
  await project.sql`update erasures set requested_at = requested_at - interval '4 s' where id = ${id}`;
  expect(await listOpenErasures(project, 10)).toMatchObject([
    { id, status: 'waiting', place: null },
  ]);
});

test('without a message the digest is that of the empty text', async ({ project }) => {
  const id = await insert(project, { sessionId: await project.newSession() });
  const { sessionId = '' } = (await find(project, id)) ?? {};
  await endErasurePass(project, { id, status: 'running', sessionId, identity: null });
  expect(await find(project, id)).toMatchObject({
    digest: digestOf(['']),
    counts: { sessions: 0, messages: 0 },
  });
});

test('an erasure that waits goes on when all living recorders have acknowledged it, and nothing is under way', async ({
  project,
}) => {
  const id = await insert(project, { userId: uuidv7() });
  const recorder = await addRecorder(project);
  await endErasurePass(project, { id, status: 'running', sessionId: null, identity: null });
  const isSettled = async () => (await listOpenErasures(project, 1)).length === 1;
  expect(await isSettled()).toBe(false);
  await project.sql`update erasures set requested_at = now() - interval '4 s'`;
  expect(await isSettled()).toBe(false);
  await acknowledgeErasures(project, recorder, [id]);
  expect(await isSettled()).toBe(true);
  await project.sql`update erasures set requested_at = now()`;
  expect(await isSettled()).toBe(false);
});

test('a receiver’s answer that was noted while its message was being erased is deleted at the end', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  const said = [typedText(sessionId), typedText(sessionId)] as const;
  await appendMessages(project, said);
  const webhookId = await addWebhook(project);
  const id = await insert(project, { sessionId });
  await eraseMessages(project, { sessionId, ids: [said[0].id], erasureId: id });
  await sql`
    insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response)
    select ${webhookId}, session_id, "timestamp", id, 'message.stored', 1, 1, 'you sent …' from messages`;
  await endErasurePass(project, { id, status: 'running', sessionId, identity: null });
  expect(await sql`select id, response from webhook_deliveries order by seen_at`).toEqual([
    { id: said[0].id, response: '' },
    { id: said[1].id, response: 'you sent …' },
  ]);
});

test('erasures that wait for a recorder, or failed, do not hold up others', async ({ project }) => {
  const waiting = await insert(project, { userId: uuidv7() });
  await addRecorder(project);
  const pass = { id: waiting, sessionId: null, identity: null };
  await endErasurePass(project, { ...pass, status: 'running' });
  await project.sql`update erasures set requested_at = now() - interval '4 s'`;
  const failed = await insert(project, { userId: uuidv7() });
  const next = await insert(project, { userId: uuidv7() });
  const ids = async () => (await listOpenErasures(project, 9)).map(({ id }) => id);
  expect(await ids()).toEqual([failed, next]);
  await noteErasureFailure(project, failed);
  expect(await ids()).toEqual([next, failed]);
  const figures = await countErasures(project);
  expect(figures).toMatchObject({ running: 2, waiting: 1 });
  expect(figures.seconds).toBeGreaterThanOrEqual(4);
});

test('a session that is erased as a whole is the first of its project until its digest is known or it has failed thrice', async ({
  project,
}) => {
  const others = [
    await insert(project, { userId: uuidv7() }),
    await insert(project, { userId: uuidv7() }),
  ];
  const whole = await insert(project, { sessionId: await project.newSession() });
  const ids = async () => (await listOpenErasures(project, 9)).map(({ id }) => id);
  for (let failures = 0; failures < 3; failures += 1) {
    expect(await ids()).toEqual([whole, ...others]);
    await noteErasureFailure(project, whole);
  }
  expect(await ids()).toEqual([...others, whole]);
  await project.sql`update erasures set attempts = 0, digest = 'known' where id = ${whole}`;
  expect(await ids()).toEqual([...others, whole]);
});

test('each project has its turn before any has a second one', async ({ project }) => {
  const other = { ...project, ...(await project.newProject()) };
  const mine: string[] = [];
  for (let count = 0; count < 3; count += 1) mine.push(await insert(project, { userId: uuidv7() }));
  const theirs = await insert(other, { userId: uuidv7() });
  const ids = (await listOpenErasures(project, 9)).map(({ id }) => id);
  expect(new Set(ids.slice(0, 2))).toEqual(new Set([mine[0], theirs]));
  expect(ids.slice(2)).toEqual(mine.slice(1));
});

test('the digest of an erased session is noted before its messages are deleted, and the erasure ends after them', async ({
  project,
}) => {
  const { userId } = project;
  const sessionId = await project.newSession();
  const said = [typedText(sessionId), typedText(sessionId)];
  await appendMessages(project, said);
  const id = await insert(project, { sessionId });
  await eraseSession(project, { id, sessionId, requestedBy: userId });
  expect(await findSession(project, { id: sessionId, userId })).toBeUndefined();
  const receipt = {
    digest: digestOf(said.map((message) => message.id)),
    counts: { sessions: 1, messages: 2 },
  };
  expect(await find(project, id)).toMatchObject({ ...receipt, status: 'running', erasedAt: null });
  expect((await listOpenErasures(project, 1))[0]).toMatchObject({ hasDigest: true });
  const end = async (status: 'running' | 'waiting') =>
    await endSessionErasure(project, { id, status });
  expect(await end('running')).toBe(false);
  await deleteMessages(project, sessionId, 10);
  await eraseSession(project, { id, sessionId, requestedBy: userId });
  await deleteSession(project, sessionId);
  expect(await end('running')).toBe(true);
  expect(await end('running')).toBe(false);
  expect(await find(project, id)).toMatchObject({ ...receipt, status: 'waiting' });
  expect(await end('waiting')).toBe(true);
  expect(await find(project, id)).toMatchObject({ ...receipt, status: 'done' });
});

test('the sessions of a project are found one after the other, in the order of their creation', async ({
  project,
}) => {
  const { projectId } = project;
  const sessions = await project.newSessions(3);
  await project.newProject();
  const found: string[] = [];
  let place = {
    sessionId: '00000000-0000-0000-0000-000000000000',
    createdAt: '1970-01-01T00:00:00.000Z',
  };
  for (;;) {
    const next = await findNextSession(project, projectId, place);
    if (!next) break;
    found.push(next.sessionId);
    place = next;
  }
  expect(found.toSorted()).toEqual(sessions.toSorted());
});
