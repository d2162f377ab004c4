import { beforeAll, expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { prepareMembershipQueries } from './memberships.ts';
import { prepareRemovedMemberQueries, type RemovedMemberQueries } from './removed-members.ts';

let project: AsyncDisposable & TestProject;
let removedMembers: RemovedMemberQueries;

beforeAll(async () => {
  project = await createTestProject();
  removedMembers = prepareRemovedMemberQueries(project);
  return () => project[Symbol.asyncDispose]();
});

async function removeMember(): Promise<{ projectId: string; userId: string }> {
  const { userId } = await project.newMember();
  const { projectId, userId: by } = project;
  const seen = { projectId, userId, seenRole: 'MEMBER', by } as const;
  await prepareMembershipQueries(project).deleteMembership(seen);
  return { projectId, userId };
}

test('a removed member is barred from each ACTIVE session of the project, and from no other', async () => {
  const { projectId, userId } = await removeMember();
  const [first, second, closed, deleted] = await project.newSessions(4);
  await project.sessions.closeSession(closed ?? '', 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted ?? ''}`;
  const other = await project.newProject();
  await project.sessions.insertSession({
    id: crypto.randomUUID(),
    projectId: other.projectId,
    name: 'elsewhere',
    createdBy: other.userId,
  });
  expect(await removedMembers.listBarredMembers(10)).toEqual([
    { projectId, userId, sessionId: first },
    { projectId, userId, sessionId: second },
  ]);
  const late = await project.newSession();
  expect(await removedMembers.listBarredMembers(10)).toContainEqual({
    projectId,
    userId,
    sessionId: late,
  });
});

test('barred members are listed page by page, each once', async () => {
  await removeMember();
  await removeMember();
  const all = await removedMembers.listBarredMembers(1000);
  const paged = [];
  for (let last = all[0]; last; ) {
    paged.push(last);
    [last] = await removedMembers.listBarredMembers(1, last);
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
  await removedMembers.forgetRemovedMembers();
  expect(await barOf()).toBe(1);
  await removedMembers.extendBar(member);
  expect(await barOf()).toBe(15);
  await project.sql`update removed_members set barred_until = now() - interval '1 ms'`;
  await removedMembers.forgetRemovedMembers();
  expect(await barOf()).toBeUndefined();
  // A bar that is forgotten does not come back by itself.
  await removedMembers.extendBar(member);
  expect(await barOf()).toBeUndefined();
});

test('a member who comes back is barred no more, though another removed member stays barred', async () => {
  const [back, away] = [await removeMember(), await removeMember()];
  await prepareMembershipQueries(project).insertMembership({
    ...back,
    id: crypto.randomUUID(),
    role: 'MEMBER',
  });
  const barred = (await removedMembers.listBarredMembers(10)).map(({ userId }) => userId);
  expect(barred).toContain(away.userId);
  expect(barred).not.toContain(back.userId);
});
