import { expect } from 'vitest';
import { secretIn, invitationTest as test } from '../../../testing/invitations.ts';

test('204 for an ADMIN and an OWNER: the link is not valid any more; 403 for a MEMBER, 404 for a stranger', async ({
  team,
  invitations,
}) => {
  const payload = { email: 'ben@example.org', role: 'OWNER' };
  const { id, link } = (await invitations.create(team.owner, payload)).json();
  expect((await invitations.remove(team.stranger, id)).statusCode).toBe(404);
  expect((await invitations.remove(team.member, id)).statusCode).toBe(403);
  expect((await invitations.look(secretIn(link))).statusCode).toBe(200);
  expect((await invitations.remove(team.admin, id)).statusCode).toBe(204);
  expect((await invitations.look(secretIn(link))).statusCode).toBe(404);
  expect((await invitations.remove(team.owner, id)).statusCode).toBe(404);
});
