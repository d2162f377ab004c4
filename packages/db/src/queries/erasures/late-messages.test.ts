import { missingMessages } from '@session/contract/room';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { endErasurePass } from './erasure-passes.ts';
import { insertErasure } from './erasures.ts';
import { isForgotten } from './late-messages.ts';

const HOUR_MS = 3_600_000;

test('late messages of an erased sender are not stored, within the scope of the erasure alone', async ({
  project,
}) => {
  const { projectId, userId: requestedBy, sql } = project;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const [userId, foreign] = [uuidv4(), uuidv4()];
  const elsewhere = await project.newProject();
  const request = { requestedBy, messageIds: null };
  await insertErasure(project, {
    ...request,
    id: uuidv7(),
    projectId,
    sessionId: null,
    identity: null,
    userId,
  });
  await insertErasure(project, {
    ...request,
    id: uuidv7(),
    projectId,
    sessionId,
    identity: 'agent-x',
    userId: null,
  });
  await insertErasure(project, {
    ...request,
    id: uuidv7(),
    projectId: elsewhere.projectId,
    sessionId: null,
    identity: null,
    userId: foreign,
  });
  await sql`update erasures set requested_at = now() - interval '1 h'`;
  await sql`update session_heads set last_at = now() - interval '3 h'`;
  const before = Date.now() - 2 * HOUR_MS;
  const after = Date.now() - HOUR_MS / 2;
  const at = new Date(before).toISOString();
  const gap = { q: 'q', missing: [[1, 2]] as const, from: at, to: at };
  const forgotten = [
    typedText(sessionId, { participant: `user-${userId}-123456`, receivedAt: before }),
    typedText(other, { participant: `user-${userId}`, receivedAt: before }),
    typedText(sessionId, { participant: 'agent-x', receivedAt: before }),
    typedText(sessionId, {
      metadata: { participant: null, candidates: ['agent-x'] },
      receivedAt: before,
    }),
    missingMessages({ ...gap, sessionId, identity: 'agent-x' }, before),
  ];
  expect(await appendMessages(project, forgotten)).toMatchObject({ stored: 0 });
  const kept = [
    typedText(sessionId, { participant: `user-${userId}`, receivedAt: after }),
    typedText(sessionId, { participant: `user-${userId}` }),
    typedText(other, { participant: 'agent-x', receivedAt: before }),
    typedText(sessionId, { participant: `user-${foreign}`, receivedAt: before }),
    typedText(sessionId, { metadata: null, receivedAt: before }),
    missingMessages({ ...gap, sessionId, identity: 'agent-y' }, before),
  ];
  expect(await appendMessages(project, [...forgotten, ...kept])).toMatchObject({ stored: 6 });
});

test('erased messages whose rows are gone are not stored when they come late, or are sent again', async ({
  project,
}) => {
  const { projectId, userId: requestedBy, sql } = project;
  const sessionId = await project.newSession();
  const before = Date.now() - 2 * HOUR_MS;
  const waited = typedText(sessionId, { receivedAt: before });
  const resent = (spokenAt: number) =>
    typedText(sessionId, {
      metadata: {
        participant: null,
        resent: true,
        spokenAt: new Date(spokenAt).toISOString(),
      },
    });
  const again = resent(before);
  const messageIds = [waited.id, again.id];
  const scope = { sessionId, messageIds, identity: null, userId: null };
  await appendMessages(project, [waited, again]);
  await insertErasure(project, { ...scope, id: uuidv7(), projectId, requestedBy });
  await sql`update erasures set requested_at = now() - interval '1 h'`;
  await sql`update session_heads set last_at = now() - interval '3 h'`;
  await sql`delete from messages`;
  const others = [typedText(sessionId, { receivedAt: before }), resent(before)];
  expect(await appendMessages(project, [waited, again, ...others])).toMatchObject({ stored: 2 });
  const ids = await sql`select id from messages where session_id = ${sessionId}`;
  expect(new Set(ids.map(({ id }) => id))).toEqual(new Set(others.map(({ id }) => id)));
});

test.for([HOUR_MS, Infinity])(
  'a late message is recognized although the clock of this machine is behind that of its receipt: now in %s ms',
  async (aheadMs, { project }) => {
    const { projectId, userId: requestedBy, sql } = project;
    const sessionId = await project.newSession();
    const scope = { sessionId, messageIds: null, identity: 'agent-x', userId: null };
    await insertErasure(project, { ...scope, id: uuidv7(), projectId, requestedBy });
    await sql`update erasures set requested_at = now() + interval '50 min'`;
    const receivedAt = Date.now() + HOUR_MS / 2;
    const late = typedText(sessionId, { participant: 'agent-x', receivedAt });
    const options = { waitForLocks: true, now: Date.now() + aheadMs };
    expect(await appendMessages(project, [late], options)).toMatchObject({ stored: 0 });
  },
);

test('the receipt of an erasure that is done recognizes late messages of the participant without their identity', async ({
  project,
}) => {
  const { projectId, userId: requestedBy, sql } = project;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const ids = [uuidv7(), uuidv7()];
  for (const id of ids) {
    const erasure = {
      id,
      projectId,
      sessionId,
      messageIds: null,
      identity: 'Ada Lovelace',
      userId: null,
    };
    await insertErasure(project, { ...erasure, requestedBy });
    await endErasurePass(project, { ...erasure, status: 'running' });
    await endErasurePass(project, { ...erasure, status: 'waiting' });
  }
  await sql`update erasures set requested_at = now() - interval '1 h'`;
  await sql`update session_heads set last_at = now() - interval '3 h'`;
  const kept = await sql`select status, identity from erasures`;
  expect(new Set(kept.map(({ status }) => status))).toEqual(new Set(['done']));
  expect(new Set(kept.map(({ identity }) => identity)).size).toBe(2);
  expect(JSON.stringify(kept)).not.toContain('Ada');
  const late = { participant: 'Ada Lovelace', receivedAt: Date.now() - 2 * HOUR_MS };
  const batch = [
    typedText(sessionId, late),
    typedText(other, late),
    typedText(sessionId, { ...late, participant: 'Bea' }),
  ];
  expect(await appendMessages(project, batch)).toMatchObject({ stored: 2 });
});

test('an erasure is about a session, messages or a sender, and what was received until its request', ({
  project: _project,
}) => {
  const [sessionId, id] = [uuidv7(), uuidv7()];
  const message = {
    sessionId,
    id,
    kind: 'text',
    receivedAt: 5,
    metadata: { participant: { identity: 'user-1' } },
  };
  const scope = {
    id: uuidv7(),
    sessionId,
    messageIds: null,
    identity: null,
    userId: null,
    requestedAt: 5,
  };
  expect(isForgotten(scope, message)).toBe(true);
  expect(isForgotten({ ...scope, requestedAt: 4 }, message)).toBe(false);
  expect(isForgotten({ ...scope, sessionId: uuidv7() }, message)).toBe(false);
  expect(isForgotten({ ...scope, messageIds: [id] }, message)).toBe(true);
  expect(isForgotten({ ...scope, messageIds: [uuidv7()] }, message)).toBe(false);
  expect(isForgotten({ ...scope, identity: 'user-1' }, message)).toBe(true);
  expect(isForgotten({ ...scope, identity: 'user-2' }, message)).toBe(false);
  expect(isForgotten({ ...scope, sessionId: null, userId: '1' }, message)).toBe(true);
});
