import { expect } from 'vitest';
import { secretIn, invitationTest as test } from '../../../testing/invitations.ts';

test('200: a person with another address becomes a member, once', async ({ team, invitations }) => {
  const payload = { email: 'somebody-else@example.org', role: 'ADMIN' };
  const { link } = (await invitations.create(team.owner, payload)).json();
  const accepted = await invitations.accept(team.stranger, secretIn(link));
  expect([accepted.statusCode, accepted.json()]).toEqual([
    200,
    { projectId: team.projectId, role: 'ADMIN' },
  ]);
  expect(await team.roleOf(team.stranger)).toBe('ADMIN');
  const again = await invitations.accept(team.stranger, secretIn(link));
  expect([again.statusCode, again.json().code]).toEqual([404, 'link_invalid']);
});

test('200: a member keeps the higher of both roles', async ({ team, invitations }) => {
  const create = async (email: string, role: string) =>
    secretIn((await invitations.create(team.owner, { email, role })).json().link);
  const lower = await create('a@example.org', 'MEMBER');
  expect((await invitations.accept(team.admin, lower)).json()).toMatchObject({ role: 'ADMIN' });
  expect((await invitations.look(lower)).statusCode).toBe(404);
  const higher = await create('b@example.org', 'OWNER');
  expect((await invitations.accept(team.member, higher)).json()).toMatchObject({ role: 'OWNER' });
  expect(await team.roleOf(team.member)).toBe('OWNER');
});

test('the link of an ADMIN ends with their removal, also while it is accepted', async ({
  team,
  invitations,
}) => {
  const email = 'friend@example.org';
  const secret = secretIn((await invitations.create(team.admin, { email })).json().link);
  const [removed, accepted] = await team.whileLocked(2, async () => {
    const removal = team.ask(team.owner, 'DELETE', `/${team.admin.id}`);
    return await Promise.all([removal, invitations.accept(team.stranger, secret)]);
  });
  expect(removed.statusCode).toBe(204);
  // Either request may be first, but an invitation is accepted only while it is valid.
  const role = await team.roleOf(team.stranger);
  expect([200, 404]).toContain(accepted.statusCode);
  expect(role).toBe(accepted.statusCode === 200 ? 'MEMBER' : undefined);
  expect((await invitations.look(secret)).statusCode).toBe(404);
});

test('401 without a token, and the invitation stays', async ({ api, team, invitations }) => {
  const email = 'ben@example.org';
  const secret = secretIn((await invitations.create(team.owner, { email })).json().link);
  const request = { method: 'POST', url: '/invitations/accept', payload: { secret } } as const;
  expect((await api.app.inject(request)).statusCode).toBe(401);
  expect((await invitations.look(secret)).statusCode).toBe(200);
});
