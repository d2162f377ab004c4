import { MAX, NIL, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { findMember, findMembership, listMembers } from './memberships.ts';

test('a role is found in its own project alone; unknown, deleted and foreign projects look the same', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const [member, elsewhere] = [await project.newMember('ADMIN'), await project.newProject()];
  const find = (user: string, id: string) =>
    findMembership(project, { userId: user, projectId: id });
  expect(await find(userId, projectId)).toEqual({ memberRole: 'OWNER' });
  expect(await find(member.userId, projectId)).toEqual({ memberRole: 'ADMIN' });
  expect(await find(userId, elsewhere.projectId)).toBeUndefined();
  expect(await find(elsewhere.userId, projectId)).toBeUndefined();
  expect(await find(userId, uuidv7())).toBeUndefined();
  await markProjectDeleted(project, projectId);
  expect(await find(userId, projectId)).toBeUndefined();
});

test('members are listed a page at a time, the oldest first, and each once', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const members: string[] = [userId];
  for (let count = 0; count < 4; count += 1) members.push((await project.newMember()).userId);
  const read: string[] = [];
  let after: string = NIL;
  for (const size of [2, 2, 1, 0]) {
    const page = await listMembers(project, { userId, projectId, after, limit: 2 });
    expect(page?.memberRole).toBe('OWNER');
    expect(page?.members).toHaveLength(size);
    read.push(...(page?.members.map((member) => member.userId) ?? []));
    after = page?.members.at(-1)?.id ?? after;
  }
  expect(read).toEqual(members);
  const none = await listMembers(project, { userId, projectId, after: MAX, limit: 9 });
  expect(none).toEqual({ memberRole: 'OWNER', members: [] });
});

test('a member is found by user id, with their address and name, by every member and by no other', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const member = await project.newMember();
  const stranger = await project.newUser();
  const key = { userId, projectId, memberId: member.userId };
  const { userId: memberId } = member;
  expect(await findMember(project, key)).toEqual({
    memberRole: 'OWNER',
    member: {
      id: member.id,
      userId: memberId,
      projectId,
      role: 'MEMBER',
      user: { id: memberId, email: `${memberId}@example.com`, name: 'Someone' },
    },
  });
  expect(await findMember(project, { ...key, userId: memberId, memberId: userId })).toMatchObject({
    memberRole: 'MEMBER',
    member: { role: 'OWNER' },
  });
  expect(await findMember(project, { ...key, memberId: stranger })).toEqual({
    memberRole: 'OWNER',
    member: undefined,
  });
  expect(await findMember(project, { ...key, userId: stranger })).toBeUndefined();
});
