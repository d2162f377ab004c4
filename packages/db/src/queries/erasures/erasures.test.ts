import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { upsertEndUser } from '../accounts/end-users.ts';
import { markFollowers } from '../followers/follower-marks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import {
  deleteProjects,
  deleteSession,
  markProjectDeleted,
  markSessionDeleted,
} from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { acknowledgeErasures } from './erasure-acknowledgements.ts';
import { listOpenErasures } from './erasure-work.ts';
import {
  deleteErasuresOfProjects,
  type ErasureScope,
  findErasure,
  insertErasure,
  listErasures,
} from './erasures.ts';

const NO_SCOPE: ErasureScope = { sessionId: null, messageIds: null, identity: null, userId: null };

async function insert(project: TestProject, scope: Partial<ErasureScope>) {
  const { projectId, userId: requestedBy } = project;
  const id = uuidv7();
  const isStored = await insertErasure(project, {
    id,
    projectId,
    requestedBy,
    ...NO_SCOPE,
    ...scope,
  });
  return isStored ? id : undefined;
}

test('a request is stored for a session and messages of the project, and for no others', async ({
  project,
}) => {
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const [said, elsewhere] = [typedText(sessionId), typedText(other)];
  await appendMessages(project, [said, elsewhere]);
  expect(await insert(project, { sessionId })).toBeDefined();
  expect(await insert(project, { sessionId, messageIds: [said.id] })).toBeDefined();
  expect(await insert(project, { sessionId, identity: 'user-1' })).toBeDefined();
  expect(await insert(project, { sessionId, messageIds: [said.id, elsewhere.id] })).toBeUndefined();
  expect(await insert(project, { sessionId: uuidv7() })).toBeUndefined();
  const { projectId } = await project.newProject();
  expect(await insert({ ...project, projectId }, { sessionId })).toBeUndefined();
  await markSessionDeleted(project, sessionId);
  expect(await insert(project, { sessionId })).toBeUndefined();
});

test('words are erased until 2 s after the request, or until the time that the clock had before it was set back', async ({
  project,
}) => {
  const { sql, projectId, userId: issuedBy } = project;
  const [now = '', ahead = '', closed = ''] = await project.newSessions(3);
  const letIn = async (sessionId: string) => {
    const id = uuidv7();
    const endUser = { id, projectId, externalId: id, name: 'Ada', sessionId, issuedBy };
    await upsertEndUser(project, endUser);
    return id;
  };
  const untilMs = async (scope: Partial<ErasureScope>) => {
    const id = await insert(project, scope);
    const { requestedAt = '' } =
      (await findErasure(project, { id: `${id}`, userId: issuedBy }))?.erasure ?? {};
    const open = (await listOpenErasures(project, 50)).find((one) => one.id === id);
    return Date.parse(`${open?.until}`) - Date.parse(requestedAt);
  };
  const [there, elsewhere] = [await letIn(ahead), await letIn(now)];
  expect(await untilMs({ userId: there })).toBe(2000);
  await sql`update session_heads set last_at = now() + interval '10 min' where session_id = ${ahead}`;
  await sql`update session_heads set last_at = now() + interval '20 min' where session_id = ${closed}`;
  await closeSession(project, closed, 'user');
  const scopes = [
    { sessionId: ahead, identity: 'user-1' },
    { userId: there },
    { userId: uuidv7() },
  ];
  for (const scope of scopes) {
    const ms = await untilMs(scope);
    expect(ms).toBeGreaterThan(560_000);
    expect(ms).toBeLessThanOrEqual(601_000);
  }
  for (const scope of [{ sessionId: now, identity: 'user-1' }, { userId: elsewhere }]) {
    expect(await untilMs(scope)).toBe(2000);
  }
});

test('a receipt lists the living recorders, and in the end those that acknowledged', async ({
  project,
}) => {
  const { userId, sql } = project;
  const id = (await insert(project, { userId: uuidv7() })) ?? '';
  const [first, second, dead] = [
    await addRecorder(project),
    await addRecorder(project),
    await addRecorder(project),
  ];
  await ageHeartbeat(project, dead, 16_000);
  await acknowledgeErasures(project, first, [id, uuidv7()]);
  await acknowledgeErasures(project, first, [id]);
  const recorders = async () => (await findErasure(project, { id, userId }))?.erasure.recorders;
  expect(await recorders()).toEqual(
    [
      { id: first, acknowledged: true },
      { id: second, acknowledged: false },
    ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  await sql`update erasures set status = 'done'`;
  expect(await recorders()).toEqual([{ id: first, acknowledged: true }]);
});

test('a webhook was told of an erasure when it has sent what was erased, in all sessions of its scope', async ({
  project,
}) => {
  const { userId, sql } = project;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const webhookId = await addWebhook(project);
  await appendMessages(project, [typedText(sessionId), typedText(other)]);
  await markFollowers(project, [sessionId, other]);
  const id = (await insert(project, { userId: uuidv7() })) ?? '';
  const inSession = (await insert(project, { sessionId, identity: 'user-1' })) ?? '';
  const told = async (erasureId: string) => {
    const found = await findErasure(project, { id: erasureId, userId });
    expect(found?.erasure.webhooks.map((webhook) => webhook.id)).toEqual([webhookId]);
    return found?.erasure.webhooks[0]?.told;
  };
  const taken = async (inSessions: string[]) =>
    await sql`update follower_positions set position = wanted where session_id = any (${inSessions})`;
  await taken([sessionId, other]);
  expect(await told(id)).toBe(false);
  await sql`update erasures set status = 'done', finished_at = now() - interval '1 minute'`;
  expect(await told(id)).toBe(false);
  await sql`update erasures set finished_at = now() - interval '3 minutes'`;
  expect(await told(id)).toBe(true);
  // What became visible later is not part of the erasure.
  await sql`update follower_positions set position = now(), wanted = now() + interval '1 s'`;
  expect(await told(id)).toBe(true);
  await sql`update follower_positions set position = now() - interval '4 minutes' where session_id = ${other}`;
  expect([await told(id), await told(inSession)]).toEqual([false, true]);
  await sql`update follower_positions set dead_at = now()`;
  expect(await told(id)).toBe(false);
  await taken([other]);
  expect(await told(id)).toBe(true);
  await sql`update followers set status = 'disabled' where id = ${webhookId}`;
  expect(await told(id)).toBe(false);
});

test('the erasures of a project are listed in pages, the newest first, for its members alone', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const ids: (string | undefined)[] = [];
  for (let number = 0; number < 3; number += 1) {
    ids.unshift(await insert(project, { userId: uuidv7() }));
  }
  const page = { projectId, userId, limit: 2 };
  const first = await listErasures(project, page);
  expect(first?.erasures.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const second = await listErasures(project, { ...page, cursor: ids[1] });
  expect(second?.erasures.map(({ id }) => id)).toEqual(ids.slice(2));
  expect(second?.erasures[0]).toMatchObject({
    status: 'running',
    counts: { sessions: 0, messages: 0, searchRows: 0, deliveries: 0, agentLogs: 0 },
    digest: null,
  });
  expect(await listErasures(project, { ...page, cursor: uuidv7() })).toMatchObject({
    isCursorKnown: false,
  });
  const stranger = await project.newUser();
  expect(await listErasures(project, { ...page, userId: stranger })).toBeUndefined();
  expect(await findErasure(project, { id: ids[0] ?? '', userId: stranger })).toBeUndefined();
});

test('receipts of a deleted project go in batches when its sessions are gone, and before it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  for (let count = 0; count < 3; count += 1) await insert(project, { userId: uuidv7() });
  const other = await project.newProject();
  const kept = await insert({ ...project, ...other }, { userId: uuidv7() });
  await markProjectDeleted(project, project.projectId);
  expect(await deleteErasuresOfProjects(project, 2)).toBe(0);
  await deleteSession(project, sessionId);
  expect(await deleteErasuresOfProjects(project, 2)).toBe(2);
  expect(await deleteProjects(project)).toEqual([]);
  expect(await deleteErasuresOfProjects(project, 2)).toBe(1);
  await project.sql`delete from audit_events where project_id = ${project.projectId}`;
  expect(await deleteProjects(project)).toEqual([project.projectId]);
  expect([...(await project.sql`select id from erasures`)]).toEqual([{ id: kept }]);
});
