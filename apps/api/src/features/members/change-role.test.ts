import { expect } from 'vitest';
import { memberTest as test } from '../../../testing/members.ts';

test('200 with the member in a new role, for an OWNER only; 404 for a user who is not a member', async ({
  team,
}) => {
  const { owner, admin, member, stranger } = team;
  const changed = await team.ask(owner, 'PATCH', `/${member.id}`, { role: 'ADMIN' });
  expect([changed.statusCode, changed.json()]).toMatchObject([
    200,
    { userId: member.id, role: 'ADMIN', user: { email: member.email } },
  ]);
  expect(await team.roleOf(member)).toBe('ADMIN');
  const byAdmin = await team.ask(admin, 'PATCH', `/${member.id}`, { role: 'MEMBER' });
  expect(byAdmin.json().code).toBe('forbidden');
  const absent = await team.ask(owner, 'PATCH', `/${stranger.id}`, { role: 'MEMBER' });
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'not_found']);
});
