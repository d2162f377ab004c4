import { beforeAll, expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { deleteMembership, insertMembership } from './membership-changes.ts';
import {
  extendBar,
  forgetRemovedMembers,
  hasRemovedMembers,
  listBarredMembers,
  listRoomsOfRemovedMembers,
} from './removed-members.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

async function removeMember(): Promise<{ projectId: string; userId: string }> {
  const { userId } = await project.newMember();
  const { projectId, userId: by } = project;
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  await deleteMembership(project, seen);
  return { projectId, userId };
}

test('a removed member is barred from each ACTIVE session of the project, and from no other', async () => {
  const { projectId, userId } = await removeMember();
  expect(await hasRemovedMembers(project)).toBe(true);
  const [first = '', second = '', closed = '', deleted = ''] = await project.newSessions(4);
  await closeSession(project, closed, 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted}`;
  const other = await project.newProject();
  const elsewhere = crypto.randomUUID();
  await insertSession(project, {
    id: elsewhere,
    projectId: other.projectId,
    name: 'elsewhere',
    createdBy: other.userId,
  });
  const open = [first, second, closed, deleted, elsewhere, crypto.randomUUID()];
  expect((await listRoomsOfRemovedMembers(project, open)).toSorted()).toEqual(
    [first, second].toSorted(),
  );
  const present = open.map((sessionId) => ({ sessionId, userId }));
  const barred = await listBarredMembers(project, present);
  expect(new Set(barred)).toEqual(
    new Set([
      { projectId, userId, memberId: userId, sessionId: first },
      { projectId, userId, memberId: userId, sessionId: second },
    ]),
  );
});

test('of many who are barred from many sessions, only those who are in a room are returned', async () => {
  const [member] = [await removeMember(), await removeMember(), await removeMember()];
  const [sessionId = ''] = await project.newSessions(5);
  const inRoom = { sessionId, userId: member.userId };
  const present = [inRoom, { sessionId, userId: project.userId }];
  expect(await listBarredMembers(project, present)).toMatchObject([inRoom]);
  expect(await listBarredMembers(project, present.slice(1))).toEqual([]);
});

test('a bar lasts 15 minutes, begins again when it is extended, and is then forgotten', async () => {
  const member = await removeMember();
  const barOf = async () => {
    const [bar] = await project.sql<{ minutes: number }[]>`
      select round(extract(epoch from barred_until - now()) / 60)::int as minutes
      from removed_members where user_id = ${member.userId}`;
    return bar?.minutes;
  };
  expect(await barOf()).toBe(15);
  await project.sql`update removed_members set barred_until = now() + interval '1 min'`;
  await forgetRemovedMembers(project, []);
  expect(await barOf()).toBe(1);
  await extendBar(project, { ...member, memberId: member.userId });
  expect(await barOf()).toBe(15);
  await project.sql`update removed_members set barred_until = now() - interval '1 ms'`;
  // It is unknown who is in a room of the project.
  await forgetRemovedMembers(project, [await project.newSession()]);
  expect(await barOf()).toBeDefined();
  await forgetRemovedMembers(project, []);
  expect(await barOf()).toBeUndefined();
  // A bar that is forgotten does not come back by itself.
  await extendBar(project, { ...member, memberId: member.userId });
  expect(await barOf()).toBeUndefined();
});

test('a member who comes back is barred no more, though another removed member stays barred', async () => {
  const [back, away] = [await removeMember(), await removeMember()];
  await insertMembership(project, {
    ...back,
    id: crypto.randomUUID(),
    role: 'MEMBER',
  });
  const sessionId = await project.newSession();
  const present = [back, away].map(({ userId }) => ({ sessionId, userId }));
  const barred = (await listBarredMembers(project, present)).map(({ userId }) => userId);
  expect(barred).toContain(away.userId);
  expect(barred).not.toContain(back.userId);
});
