import { expect } from 'vitest';
import { memberTest as test } from '../../../testing/members.ts';

test('200 with the members, the oldest first, a page at a time', async ({ team }) => {
  const { owner, admin, member } = team;
  const first = (await team.ask(admin, 'GET', '?limit=2')).json();
  expect(first).toMatchObject({
    items: [
      { userId: owner.id, role: 'OWNER', user: { email: owner.email } },
      { userId: admin.id, role: 'ADMIN' },
    ],
    nextCursor: first.items[1].id,
  });
  const second = (await team.ask(admin, 'GET', `?limit=2&cursor=${first.nextCursor}`)).json();
  expect(second).toMatchObject({ items: [{ userId: member.id }], nextCursor: null });
});
