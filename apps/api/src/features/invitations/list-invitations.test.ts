import { expect } from 'vitest';
import { invitationTest as test } from '../../../testing/invitations.ts';

test('200 with the open invitations, the newest first and in pages, for an ADMIN and an OWNER', async ({
  team,
  invitations,
}) => {
  for (const name of ['ben', 'cleo', 'dora']) {
    await invitations.create(team.owner, { email: `${name}@example.org` });
  }
  const first = (await invitations.list(team.admin, '?limit=2')).json();
  expect(first.items.map(({ email }: { email: string }) => email)).toEqual([
    'dora@example.org',
    'cleo@example.org',
  ]);
  const next = (await invitations.list(team.owner, `?limit=2&cursor=${first.nextCursor}`)).json();
  expect(next).toMatchObject({ items: [{ email: 'ben@example.org' }], nextCursor: null });
  expect((await invitations.list(team.member)).statusCode).toBe(403);
  expect((await invitations.list(team.stranger)).statusCode).toBe(404);
});
