import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
import { memberTest as test } from '../../../testing/members.ts';

test('204 for a member who leaves, and 404 for the project from then on; 409 for the last owner', async ({
  api,
  team,
}) => {
  const { owner, admin, member, projectId } = team;
  for (const user of [admin, member]) {
    expect((await team.ask(user, 'DELETE', `/${user.id}`)).statusCode).toBe(204);
    const gone = await api.inject(user, { url: `/projects/${projectId}` });
    expect(gone.statusCode).toBe(404);
  }
  const left = await team.ask(owner, 'DELETE', `/${owner.id}`);
  expect([left.statusCode, left.json().code]).toEqual([409, 'last_owner']);
  const demoted = await team.ask(owner, 'PATCH', `/${owner.id}`, { role: 'ADMIN' });
  expect([demoted.statusCode, demoted.json().code]).toEqual([409, 'last_owner']);
  const kept = await team.ask(owner, 'PATCH', `/${owner.id}`, { role: 'OWNER' });
  expect([kept.statusCode, await team.roleOf(owner)]).toEqual([200, 'OWNER']);
});

test('409 project_account for the owner who made a project and leaves it to another; that other one takes it over', async ({
  team,
}) => {
  const { owner: ana, admin: ben } = team;
  await team.ask(ana, 'PATCH', `/${ben.id}`, { role: 'OWNER' });
  const left = await team.ask(ana, 'DELETE', `/${ana.id}`);
  const demoted = await team.ask(ana, 'PATCH', `/${ana.id}`, { role: 'ADMIN' });
  for (const refused of [left, demoted]) {
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'project_account', detail: expect.stringContaining('Ask another OWNER') },
    ]);
  }
  const taken = await team.ask(ben, 'PATCH', `/${ana.id}`, { role: 'ADMIN' });
  expect(taken.statusCode).toBe(200);
  const gone = await team.ask(ana, 'DELETE', `/${ana.id}`);
  expect(gone.statusCode).toBe(204);
  expect((await team.ask(ben, 'DELETE', `/${ben.id}`)).json().code).toBe('last_owner');
});

test('one owner remains, however many leave at the same moment', async ({ api, team }) => {
  const owners = [team.owner];
  for (let count = 0; count < 5; count += 1) {
    const user = await api.createUser();
    await team.ask(team.owner, 'POST', '', { email: user.email, role: 'OWNER' });
    owners.push(user);
  }
  const go = async (owner: TestUser, index: number) =>
    index % 2 === 0
      ? await team.ask(owner, 'DELETE', `/${owner.id}`)
      : await team.ask(owner, 'PATCH', `/${owner.id}`, { role: 'MEMBER' });
  // An API lets two of them wait for the project's lock.
  const answers = await team.whileLocked(2, () => Promise.all(owners.map(go)));
  const statuses = answers.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  expect(statuses.filter((status) => status < 300)).toHaveLength(5);
  const roles = await Promise.all(owners.map((owner) => team.roleOf(owner)));
  expect(roles.filter((role) => role === 'OWNER')).toHaveLength(1);
});

test('404 for a user who is not a member', async ({ team }) => {
  const absent = await team.ask(team.owner, 'DELETE', `/${team.stranger.id}`);
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'not_found']);
});
