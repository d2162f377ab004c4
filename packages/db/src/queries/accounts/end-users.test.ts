import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { deleteAuditEventsOfProjects } from '../operations/audit-events.ts';
import { deleteProjects, deleteSession, markProjectDeleted } from '../sessions/deletions.ts';
import { listSessions } from '../sessions/session-search.ts';
import { deleteEndUsers, upsertEndUser } from './end-users.ts';
import { deleteMembership } from './membership-changes.ts';
import { findMembership } from './memberships.ts';
import { listBarredMembers } from './removed-members.ts';
import { findUser, findUserByEmail } from './users.ts';

test('an end user is one account in all sessions, under the name that was given last, and a member of nothing', async ({
  project,
}) => {
  const { projectId, userId: issuedBy } = project;
  const id = uuidv7();
  const endUser = { id, projectId, externalId: 'customer-7', issuedBy };
  const [first = '', second = ''] = await project.newSessions(2);
  for (const [name, sessionId] of [
    ['Ada', first],
    ['Ada', first],
    ['Ada Lovelace', second],
  ] as const) {
    await upsertEndUser(project, { ...endUser, name, sessionId });
  }
  expect((await findUser(project, id))?.name).toBe('Ada Lovelace');
  expect(await findMembership(project, { userId: id, projectId })).toBeUndefined();
  expect(await findUserByEmail(project, 'customer-7')).toBeUndefined();
  const rows = await project.sql`
    select session_id, issued_by, project_id from session_end_users where user_id = ${id} order by session_id`;
  expect(rows).toEqual([
    { session_id: first, issued_by: issuedBy, project_id: projectId },
    { session_id: second, issued_by: issuedBy, project_id: projectId },
  ]);
});

test('the first token of an end user in a session is kept, and a later one fills what the former release left out', async ({
  project,
}) => {
  const { projectId, userId, sql } = project;
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const endUser = { id: uuidv7(), projectId, externalId: 'seven', name: 'Ada', issuedBy: userId };
  const letIn = async (id: string) => await upsertEndUser(project, { ...endUser, sessionId: id });
  await sql`update session_heads set last_at = now() - interval '1 h'`;
  const firstAt = (await letIn(sessionId))?.firstAt ?? '';
  expect(Date.parse(firstAt)).toBeLessThanOrEqual(Date.now() - 500);
  await sql`update session_heads set last_at = now() + interval '1 min'`;
  expect((await letIn(sessionId))?.firstAt).toBe(firstAt);
  // The history continues after its newest message, even if the time of that message is from a fast clock.
  const [head] = await sql`select last_at as at from session_heads where session_id = ${other}`;
  expect(Date.parse((await letIn(other))?.firstAt ?? '')).toBe(Date.parse(String(head?.['at'])));
  const list = async () => {
    const query = { projectId, userId, endUserId: endUser.id, limit: 9 };
    return (await listSessions(project, query))?.sessions.map(({ id }) => id);
  };
  await sql`
    update session_end_users set project_id = null, session_created_at = null, first_at = null
    where session_id = ${sessionId}`;
  expect(await list()).toEqual([other]);
  expect((await letIn(sessionId))?.firstAt).not.toBe(firstAt);
  expect(await list()).toEqual([other, sessionId]);
  expect(await letIn(uuidv7())).toBeUndefined();
  await sql`update sessions set deleted_at = now() where id = ${other}`;
  expect(await list()).toEqual([sessionId]);
});

test('whoever was let in by a removed member is barred from that session, until somebody else lets them in', async ({
  project,
}) => {
  const { projectId, userId: owner } = project;
  const member = await project.newMember('ADMIN');
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const endUser = { id: uuidv7(), projectId, externalId: 'seven', name: 'Ada', sessionId };
  await upsertEndUser(project, { ...endUser, issuedBy: member.userId });
  const seen = { projectId, userId: member.userId, seenRole: 'ADMIN', by: owner } as const;
  await deleteMembership(project, seen);
  const present = [sessionId, other].flatMap((id) =>
    [member.userId, endUser.id, owner].map((userId) => ({ sessionId: id, userId })),
  );
  const barred = await listBarredMembers(project, present);
  expect(new Set(barred.map(({ sessionId: id, userId }) => `${id} ${userId}`))).toEqual(
    new Set([
      `${sessionId} ${member.userId}`,
      `${other} ${member.userId}`,
      `${sessionId} ${endUser.id}`,
    ]),
  );
  expect(new Set(barred.map(({ memberId }) => memberId))).toEqual(new Set([member.userId]));
  await upsertEndUser(project, { ...endUser, issuedBy: owner });
  const users = (await listBarredMembers(project, present)).map(({ userId }) => userId);
  expect(users).not.toContain(endUser.id);
});

test('end users go in batches before their project, which waits for them', async ({ project }) => {
  const { projectId, userId: issuedBy } = project;
  const [sessionId = ''] = await project.newSessions(1);
  for (let count = 0; count < 5; count += 1) {
    const endUser = { id: uuidv7(), projectId, externalId: `${count}`, name: 'Ada' };
    await upsertEndUser(project, { ...endUser, sessionId, issuedBy });
  }
  expect(await deleteEndUsers(project, 2)).toBe(0);
  await markProjectDeleted(project, projectId);
  await deleteSession(project, sessionId);
  expect(await deleteEndUsers(project, 2)).toBe(2);
  expect(await deleteProjects(project)).toEqual([]);
  expect(await deleteEndUsers(project, 9)).toBe(3);
  await deleteAuditEventsOfProjects(project, 9);
  expect(await deleteProjects(project)).toEqual([projectId]);
  expect(await project.sql`select from session_end_users`).toHaveLength(0);
});

test('whoever lets an end user in locks the user before the place in the session, as whoever forgets them', async ({
  project,
}) => {
  const { projectId, userId: issuedBy, sql, url } = project;
  const sessionId = await project.newSession();
  const endUser = {
    id: uuidv7(),
    projectId,
    externalId: 'seven',
    name: 'Ada',
    sessionId,
    issuedBy,
  };
  await upsertEndUser(project, endUser);
  await using lock = await holdLocks(
    url,
    (holder) => holder`select from users where id = ${endUser.id} for update`,
  );
  const letIn = upsertEndUser(project, endUser);
  const waiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  const places = await sql`
    select from session_end_users where user_id = ${endUser.id} for update nowait`;
  expect(places).toHaveLength(1);
  await lock[Symbol.asyncDispose]();
  expect(await letIn).toBeDefined();
});
