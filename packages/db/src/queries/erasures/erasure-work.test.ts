import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addErasure, digestOf, readErasure } from '../../../testing/erasures.ts';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { deleteMessages, deleteSession } from '../sessions/deletions.ts';
import { findSession } from '../sessions/sessions.ts';
import { acknowledgeErasures } from './erasure-acknowledgements.ts';
import { endErasurePass } from './erasure-passes.ts';
import {
  countErasures,
  endSessionErasure,
  eraseSession,
  findNextSession,
  listOpenErasures,
  noteErasureFailure,
} from './erasure-work.ts';

test('an erasure that waits goes on when all living recorders have acknowledged it, and nothing is under way', async ({
  project,
}) => {
  const id = await addErasure(project, { userId: uuidv7() });
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

test('erasures that wait for a recorder, or failed, do not hold up others', async ({ project }) => {
  const waiting = await addErasure(project, { userId: uuidv7() });
  await addRecorder(project);
  const pass = { id: waiting, sessionId: null, identity: null };
  await endErasurePass(project, { ...pass, status: 'running' });
  await project.sql`update erasures set requested_at = now() - interval '4 s'`;
  const failed = await addErasure(project, { userId: uuidv7() });
  const next = await addErasure(project, { userId: uuidv7() });
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
    await addErasure(project, { userId: uuidv7() }),
    await addErasure(project, { userId: uuidv7() }),
  ];
  const whole = await addErasure(project, { sessionId: await project.newSession() });
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
  for (let count = 0; count < 3; count += 1) {
    mine.push(await addErasure(project, { userId: uuidv7() }));
  }
  const theirs = await addErasure(other, { userId: uuidv7() });
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
  const id = await addErasure(project, { sessionId });
  await eraseSession(project, { id, sessionId, requestedBy: userId });
  expect(await findSession(project, { id: sessionId, userId })).toBeUndefined();
  const receipt = {
    digest: digestOf(said.map((message) => message.id)),
    counts: { sessions: 1, messages: 2 },
  };
  expect(await readErasure(project, id)).toMatchObject({
    ...receipt,
    status: 'running',
    erasedAt: null,
  });
  expect((await listOpenErasures(project, 1))[0]).toMatchObject({ hasDigest: true });
  const end = async (status: 'running' | 'waiting') =>
    await endSessionErasure(project, { id, status });
  expect(await end('running')).toBe(false);
  await deleteMessages(project, sessionId, 10);
  await eraseSession(project, { id, sessionId, requestedBy: userId });
  await deleteSession(project, sessionId);
  expect(await end('running')).toBe(true);
  expect(await end('running')).toBe(false);
  expect(await readErasure(project, id)).toMatchObject({ ...receipt, status: 'waiting' });
  expect(await end('waiting')).toBe(true);
  expect(await readErasure(project, id)).toMatchObject({ ...receipt, status: 'done' });
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
