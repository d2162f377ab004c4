import type { MemberRole } from '@session/contract';
import { expect } from 'vitest';
import { memberTest as test } from '../../../testing/members.ts';

test('201 with the user of an e-mail address as a MEMBER, and 409 for a user who is a member already', async ({
  team,
}) => {
  const { owner, stranger, projectId } = team;
  const payload = { email: ` ${stranger.email.toUpperCase()} ` };
  const added = await team.ask(owner, 'POST', '', payload);
  expect([added.statusCode, added.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      userId: stranger.id,
      projectId,
      role: 'MEMBER',
      user: { id: stranger.id, email: stranger.email, name: stranger.name },
    },
  ]);
  expect(added.headers.location).toBe(`/projects/${projectId}/members/${stranger.id}`);
  const again = await team.ask(owner, 'POST', '', { ...payload, role: 'OWNER' });
  expect([again.statusCode, again.json().code]).toEqual([409, 'already_member']);
  expect(await team.roleOf(stranger)).toBe('MEMBER');
  const nobody = await team.ask(owner, 'POST', '', { email: 'nobody@example.org' });
  expect([nobody.statusCode, nobody.json().code]).toEqual([404, 'user_not_found']);
});

test('429 after 20 attempts a minute of one user, so that nobody searches for e-mail addresses with an account', async ({
  team,
}) => {
  const { owner, admin } = team;
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1) {
    const email = `nobody-${count}@example.org`;
    statuses.push((await team.ask(owner, 'POST', '', { email })).statusCode);
  }
  expect(statuses).toEqual([...Array(20).fill(404), 429]);
  const known = await team.ask(owner, 'POST', '', { email: team.stranger.email });
  expect(known.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect(Number(known.headers['retry-after'])).toBeGreaterThan(1);
  const other = await team.ask(admin, 'POST', '', { email: team.stranger.email });
  expect(other.statusCode).toBe(201);
});

// The role of the user who acts, the role of the member, and the status of adding and of removing that member.
const rules: ['ADMIN' | 'MEMBER' | 'OWNER', MemberRole, number, number][] = [
  ['MEMBER', 'MEMBER', 403, 403],
  ['ADMIN', 'MEMBER', 201, 204],
  ['ADMIN', 'ADMIN', 403, 403],
  ['ADMIN', 'OWNER', 403, 403],
  ['OWNER', 'ADMIN', 201, 204],
  ['OWNER', 'OWNER', 201, 204],
];

test.for(rules)(
  'a %s adds a %s: %i, and removes one: %i',
  async ([by, role, added, removed], { team }) => {
    const caller = { MEMBER: team.member, ADMIN: team.admin, OWNER: team.owner }[by];
    const { owner, stranger } = team;
    const post = await team.ask(caller, 'POST', '', { email: stranger.email, role });
    expect(post.statusCode).toBe(added);
    if (added === 403) await team.ask(owner, 'POST', '', { email: stranger.email, role });
    const remove = await team.ask(caller, 'DELETE', `/${stranger.id}`);
    expect([remove.statusCode, remove.body === '']).toEqual([removed, removed === 204]);
    expect(await team.roleOf(stranger)).toBe(removed === 204 ? undefined : role);
  },
);
