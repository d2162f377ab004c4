import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addErasure, digestOf, readErasure } from '../../../testing/erasures.ts';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { eraseMessages } from './erased-messages.ts';
import { endErasurePass } from './erasure-passes.ts';
import { listOpenErasures, noteErasurePlace } from './erasure-work.ts';

test('the digest follows from the tombstones of all sessions, even after another pass', async ({
  project,
}) => {
  const sessions = await project.newSessions(2);
  const id = await addErasure(project, { userId: uuidv7() });
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
      erasureId: await addErasure(project, { userId: uuidv7() }),
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
  const waiting = await readErasure(project, id);
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
  expect(await readErasure(project, id)).toMatchObject({
    status: 'done',
    digest: digestOf(ids),
    erasedAt: waiting.erasedAt,
    finishedAt: expect.any(String),
  });
  expect((await listOpenErasures(project, 10)).map((one) => one.id)).not.toContain(id);
});

test('of two workers on one erasure only one moves it to its next status, and the other changes nothing', async ({
  project,
}) => {
  const id = await addErasure(project, { userId: uuidv7() });
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
  const sessionId = await project.newSession();
  const id = await addErasure(project, { sessionId });
  await endErasurePass(project, { id, status: 'running', sessionId, identity: null });
  expect(await readErasure(project, id)).toMatchObject({
    digest: digestOf(['']),
    counts: { sessions: 0, messages: 0 },
  });
});

test('a receiver’s answer that was noted while its message was being erased is deleted at the end', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  const said = [typedText(sessionId), typedText(sessionId)] as const;
  await appendMessages(project, said);
  const webhookId = await addWebhook(project);
  const id = await addErasure(project, { sessionId });
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
