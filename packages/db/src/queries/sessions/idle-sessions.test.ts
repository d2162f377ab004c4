import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listActiveSessions, listIdleSessions, markAttended } from './idle-sessions.ts';
import { closeSession } from './session-end.ts';

const HOUR_MS = 3_600_000;

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now() where status = 'ACTIVE'`;
});

/** Stores a session that was made `ageMs` ago. */
async function oldSession(ageMs = 3 * HOUR_MS): Promise<string> {
  const id = await project.newSession();
  await project.sql`
    update sessions set created_at = now() - ${ageMs}::int * interval '1 ms' where id = ${id}`;
  await project.sql`
    update session_heads set last_at = now() - ${ageMs}::int * interval '1 ms' where session_id = ${id}`;
  return id;
}

test('a session is idle since it was made, or since a person was last seen in its room', async () => {
  const [never, fresh, attended] = [
    await oldSession(),
    await oldSession(HOUR_MS / 2),
    await oldSession(),
  ];
  expect(await listIdleSessions(project, HOUR_MS)).toEqual([never, attended]);
  await markAttended(project, [attended]);
  expect(await listIdleSessions(project, HOUR_MS)).toEqual([never]);
  await project.sql`update sessions set attended_at = now() - interval '2 h' where id = ${attended}`;
  expect(await listIdleSessions(project, HOUR_MS)).toEqual([never, attended]);
  expect(await listIdleSessions(project, HOUR_MS / 4)).toEqual([never, fresh, attended]);
  expect(await listIdleSessions(project, 4 * HOUR_MS)).toEqual([]);
});

test.each([
  ['a user', { role: 'user' }, true],
  ['a user whose identity is unknown', { role: 'user', metadata: null }, true],
  ['an agent', { role: 'assistant', participant: 'agent-1' }, false],
  ['the system, about a user who joined', { role: 'system', participant: 'user-7' }, true],
  ['the system, about an agent that joined', { role: 'system', participant: 'agent-7' }, false],
  ['the system, about nobody', { role: 'system', metadata: null }, false],
] as const)('a message of %s keeps a session open: %#', async (_, part, keepsOpen) => {
  const sessionId = await oldSession();
  const message = typedText(sessionId, { ...part, receivedAt: Date.now() - HOUR_MS / 2 });
  await appendMessages(project, [message]);
  expect(await listIdleSessions(project, HOUR_MS)).toEqual(keepsOpen ? [] : [sessionId]);
  // An older message says nothing of the last minute.
  expect(await listIdleSessions(project, HOUR_MS / 60)).toEqual([sessionId]);
});

test('closed and deleted sessions are not idle, and cannot be attended', async () => {
  const [closed, deleted] = [await oldSession(), await oldSession()];
  await closeSession(project, closed, 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted}`;
  expect(await listIdleSessions(project, HOUR_MS)).toEqual([]);
  await markAttended(project, [closed]);
  expect(await project.sql`select attended_at from sessions where id = ${closed}`).toEqual([
    { attended_at: null },
  ]);
});

test('of given sessions the ACTIVE ones come back, whatever else is asked for', async () => {
  const [active, closed, deleted] = await project.newSessions(3);
  if (!(active && closed && deleted)) throw new Error('there are three');
  await closeSession(project, closed, 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted}`;
  expect(await listActiveSessions(project, [active, closed, deleted, uuidv7()])).toEqual([active]);
  expect(await listActiveSessions(project, [])).toEqual([]);
});
