import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
import { invitationTest, secretIn } from '../../../testing/invitations.ts';
import { createWebhook } from '../../../testing/webhook-test.ts';

type Change = readonly ['DELETE' | 'PATCH' | 'POST', url: string, payload?: object];

interface Target {
  readonly project: string;
  readonly member: TestUser;
  readonly stranger: TestUser;
  readonly key: TestUser;
  readonly invitationId: string;
  readonly webhook: string;
}

const test = invitationTest
  .extend('key', async ({ api, team }) => await api.createKey(team.projectId))
  .extend('invitation', async ({ invitations, team }) => {
    const { id, link } = (await invitations.create(team.owner, { email: 'a@example.org' })).json();
    return { id, secret: secretIn(link) };
  })
  .extend('webhook', async ({ api, team }) => {
    const hook = { url: 'https://example.org/in' };
    return `/webhooks/${(await createWebhook(api, team.owner, team.projectId, hook)).id}`;
  })
  .extend('state', ({ api, invitation, invitations, team, webhook: _made }) => async () => {
    const { owner, member, stranger, projectId } = team;
    const { sql } = api.deps.database;
    const project = await api.inject(owner, { url: `/projects/${projectId}` });
    const { name, retentionDays } = project.json();
    const keys = await sql`
      select secret.id, secret.revoked_at from api_keys secret
      join users service on service.id = secret.user_id
      where service.project_id = ${projectId} order by secret.id`;
    const webhooks = await sql`
      select webhook.*, follower.status from followers follower
      join webhooks webhook on webhook.id = follower.id
      where follower.project_id = ${projectId} order by webhook.id`;
    const audit = await sql`select action from audit_events where project_id = ${projectId}`;
    const roles = [await team.roleOf(member), await team.roleOf(stranger)];
    const link = (await invitations.look(invitation.secret)).statusCode;
    return {
      name,
      retentionDays,
      keys: [...keys],
      webhooks: [...webhooks],
      audited: audit.length,
      roles,
      link,
    };
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
  [
    'replaces an invitation',
    ({ project }) => ['POST', `${project}/invitations`, { email: 'a@example.org' }],
  ],
  [
    'creates a webhook',
    ({ project }) => ['POST', `${project}/webhooks`, { url: 'https://example.org/own' }],
  ],
  ['changes a webhook', ({ webhook }) => ['PATCH', webhook, { url: 'https://example.org/own' }]],
  ['replaces a secret', ({ webhook }) => ['POST', `${webhook}/rotate-secret`, { keepOldHours: 0 }]],
  [
    'sends messages again',
    ({ webhook }) => ['POST', `${webhook}/replay`, { since: '2020-01-01T00:00:00Z' }],
  ],
  ['deletes a webhook', ({ webhook }) => ['DELETE', webhook]],
];

test.for(
  changes.flatMap(([what, changeOf]) => [
    [what, 'demoted', 403, 'forbidden', changeOf] as const,
    [what, 'removed', 404, 'not_found', changeOf] as const,
  ]),
)(
  'nothing changes if whoever %s is %s while the request waits: %i',
  async ([, loss, status, code, changeOf], { api, invitation, key, state, team, webhook }) => {
    const { owner, admin: former, member, stranger, projectId } = team;
    await team.ask(owner, 'PATCH', `/${former.id}`, { role: 'OWNER' });
    const before = await state();
    const project = `/projects/${projectId}`;
    const target = { project, member, stranger, key, invitationId: invitation.id, webhook };
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
