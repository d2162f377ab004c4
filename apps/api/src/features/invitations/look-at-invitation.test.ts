import { expect } from 'vitest';
import { secretIn, invitationTest as test } from '../../../testing/invitations.ts';

test('200 without a token, with the project, the address, the role and the end', async ({
  team,
  invitations,
}) => {
  const payload = { email: 'ben@example.org', role: 'ADMIN' };
  const { link, expiresAt } = (await invitations.create(team.owner, payload)).json();
  const looked = await invitations.look(secretIn(link));
  expect([looked.statusCode, looked.json()]).toEqual([
    200,
    { projectName: 'project', ...payload, expiresAt },
  ]);
});

test('links that are wrong, cut, used, replaced, deleted or expired get one answer; after 20 a network gets 429, for accepting too', async ({
  api,
  team,
  invitations,
}) => {
  const create = async (email: string) =>
    secretIn((await invitations.create(team.owner, { email })).json().link);
  const replaced = await create('ben@example.org');
  const open = await create('ben@example.org');
  const used = await create('cleo@example.org');
  await invitations.accept(await api.createUser('cleo'), used);
  const expired = await create('dora@example.org');
  await api.deps.database.sql`
    update invitations set expires_at = now() - interval '1 s' where email = 'dora@example.org'`;
  const answers = [];
  for (const secret of [open.slice(1), `${open}x`, 'x', used, replaced, expired]) {
    const { statusCode, body } = await invitations.look(secret);
    answers.push(`${statusCode} ${body.replace(/"requestId":"[^"]*"/, '')}`);
  }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^404 .*"code":"link_invalid"/);
  for (let count = answers.length; count < 20; count += 1) {
    expect((await invitations.look(used)).statusCode).toBe(404);
  }
  const refused = await invitations.look(open);
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_requests']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
  expect((await invitations.accept(team.stranger, open)).statusCode).toBe(429);
  const elsewhere = await api.inject(team.stranger, {
    method: 'POST',
    url: '/invitations/accept',
    payload: { secret: open },
    remoteAddress: '192.0.2.1',
  });
  expect(elsewhere.statusCode).toBe(200);
});
