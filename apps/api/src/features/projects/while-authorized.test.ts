import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
import { memberTest } from '../../../testing/members.ts';

const test = memberTest.extend('state', ({ api, team }) => async () => {
  const { owner, member, stranger, projectId } = team;
  const project = await api.inject(owner, { url: `/projects/${projectId}` });
  const { name, retentionDays } = project.json();
  return [name, retentionDays, await team.roleOf(member), await team.roleOf(stranger)];
});

type Change = readonly ['DELETE' | 'PATCH' | 'POST', path: string, payload?: object];

const changes: [string, (users: { member: TestUser; stranger: TestUser }) => Change][] = [
  ['adds an OWNER', ({ stranger }) => ['POST', '/members', { email: stranger.email, role: 'OWNER' }]],
  ['makes an OWNER', ({ member }) => ['PATCH', `/members/${member.id}`, { role: 'OWNER' }]],
  ['removes a member', ({ member }) => ['DELETE', `/members/${member.id}`]],
  ['renames the project', () => ['PATCH', '', { name: 'taken over' }]],
  ['limits the histories', () => ['PATCH', '', { retentionDays: 1 }]],
  ['deletes the project', () => ['DELETE', '']],
];

test.for(
  changes.flatMap(([what, request]) => [
    [what, 'demoted', 403, 'forbidden', request] as const,
    [what, 'removed', 404, 'not_found', request] as const,
  ]),
)(
  'nothing changes if whoever %s is %s while the request waits: %i',
  async ([, loss, status, code, requestOf], { api, state, team }) => {
    const { owner, admin: former, projectId } = team;
    await team.ask(owner, 'PATCH', `/${former.id}`, { role: 'OWNER' });
    const before = await state();
    const [method, path, payload] = requestOf(team);
    const url = `/projects/${projectId}${path}`;
    const answer = await team.whileLocked(
      1,
      async () => await api.inject(former, { method, url, ...(payload && { payload }) }),
      async (sql) => {
        if (loss === 'removed') await sql`delete from memberships where user_id = ${former.id}`;
        else await sql`update memberships set role = 'MEMBER' where user_id = ${former.id}`;
      },
    );
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(await state()).toEqual(before);
  },
);
