import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
import { invitationTest, secretIn } from '../../../testing/invitations.ts';

type Change = readonly ['DELETE' | 'PATCH' | 'POST', url: string, payload?: object];

interface Target {
  readonly project: string;
  readonly member: TestUser;
  readonly stranger: TestUser;
  readonly key: TestUser;
  readonly invitationId: string;
}

const test = invitationTest
  .extend('key', async ({ api, team }) => await api.createKey(team.projectId))
  .extend('invitation', async ({ invitations, team }) => {
    const { id, link } = (await invitations.create(team.owner, { email: 'a@example.org' })).json();
    return { id, secret: secretIn(link) };
  })
  .extend('state', ({ api, invitation, invitations, team }) => async () => {
    const { owner, member, stranger, projectId } = team;
    const { sql } = api.deps.database;
    const project = await api.inject(owner, { url: `/projects/${projectId}` });
    const { name, retentionDays } = project.json();
    const keys = await sql`
      select secret.id, secret.revoked_at from api_keys secret
      join users service on service.id = secret.user_id
      where service.project_id = ${projectId} order by secret.id`;
    const roles = [await team.roleOf(member), await team.roleOf(stranger)];
    const link = (await invitations.look(invitation.secret)).statusCode;
    return { name, retentionDays, keys: [...keys], roles, link };
  });

const changes: [string, (target: Target) => Change][] = [
  [
    'adds an OWNER',
    ({ project, stranger: { email } }) => ['POST', `${project}/members`, { email, role: 'OWNER' }],
  ],
  [
    'makes an OWNER',
    ({ project, member }) => ['PATCH', `${project}/members/${member.id}`, { role: 'OWNER' }],
  ],
  ['removes a member', ({ project, member }) => ['DELETE', `${project}/members/${member.id}`]],
  ['renames the project', ({ project }) => ['PATCH', project, { name: 'taken over' }]],
  ['limits the histories', ({ project }) => ['PATCH', project, { retentionDays: 1 }]],
  ['deletes the project', ({ project }) => ['DELETE', project]],
  ['creates a key', ({ project }) => ['POST', `${project}/api-keys`, { name: 'b', role: 'ADMIN' }]],
  ['rotates a key', ({ key }) => ['POST', `/api-keys/${key.id}/rotate`, { keepOldHours: 0 }]],
  ['deletes a key', ({ key }) => ['DELETE', `/api-keys/${key.id}`]],
  ['deletes an invitation', ({ invitationId }) => ['DELETE', `/invitations/${invitationId}`]],
];

test.for(
  changes.flatMap(([what, changeOf]) => [
    [what, 'demoted', 403, 'forbidden', changeOf] as const,
    [what, 'removed', 404, 'not_found', changeOf] as const,
  ]),
)(
  'nothing changes if whoever %s is %s while the request waits: %i',
  async ([, loss, status, code, changeOf], { api, invitation, key, state, team }) => {
    const { owner, admin: former, member, stranger, projectId } = team;
    await team.ask(owner, 'PATCH', `/${former.id}`, { role: 'OWNER' });
    const before = await state();
    const project = `/projects/${projectId}`;
    const target = { project, member, stranger, key, invitationId: invitation.id };
    const [method, url, payload] = changeOf(target);
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
