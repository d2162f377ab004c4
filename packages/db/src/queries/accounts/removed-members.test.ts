import { beforeAll, expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { deleteMembership, insertMembership } from './membership-changes.ts';
import { extendBar, forgetRemovedMembers, listBarredMembers } from './removed-members.ts';

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
  const [first, second, closed, deleted] = await project.newSessions(4);
  await closeSession(project, closed ?? '', 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted ?? ''}`;
  const other = await project.newProject();
  await insertSession(project, {
    id: crypto.randomUUID(),
    projectId: other.projectId,
    name: 'elsewhere',
    createdBy: other.userId,
  });
  expect(await listBarredMembers(project, 10)).toEqual([
    { projectId, userId, memberId: userId, sessionId: first },
    { projectId, userId, memberId: userId, sessionId: second },
  ]);
  const late = await project.newSession();
  expect(await listBarredMembers(project, 10)).toContainEqual({
    projectId,
    userId,
    memberId: userId,
    sessionId: late,
  });
});

test('barred members are listed page by page, each once', async () => {
  await removeMember();
  await removeMember();
  const all = await listBarredMembers(project, 1000);
  const paged = [];
  for (let last = all[0]; last; ) {
    paged.push(last);
    [last] = await listBarredMembers(project, 1, last);
  }
  expect(all.length).toBeGreaterThan(1);
  expect(paged).toEqual(all);
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
  // Nobody knows who is in a room of the project.
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
  const barred = (await listBarredMembers(project, 10)).map(({ userId }) => userId);
  expect(barred).toContain(away.userId);
  expect(barred).not.toContain(back.userId);
});
