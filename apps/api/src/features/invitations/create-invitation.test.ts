import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD } from '../../../testing/api.ts';
import { secretIn, invitationTest as test } from '../../../testing/invitations.ts';
import { contentOf, startMailServer } from '../../../testing/mail-server.ts';

const BEN = 'ben@example.org';

test('201 with a link, which no other answer shows; only its hash is stored', async ({
  api,
  team,
  invitations,
}) => {
  const created = await invitations.create(team.owner, { email: ` ${BEN.toUpperCase()} ` });
  const { link, mailed, ...invitation } = created.json();
  expect([created.statusCode, invitation]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      email: BEN,
      role: 'MEMBER',
      createdAt: expect.any(String),
      createdBy: team.owner.id,
      expiresAt: expect.any(String),
    },
  ]);
  expect(created.headers['cache-control']).toBe('no-store');
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3001\/invitation#[\w-]{43}$/);
  expect(mailed).toBe(false);
  const days = (Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)) / 86_400_000;
  expect(days).toBe(7);
  const listed = (await invitations.list(team.owner)).json();
  expect(listed).toEqual({ items: [invitation], nextCursor: null });
  const secret = secretIn(link);
  const rows = await api.deps.database.sql`select * from invitations where email = ${BEN}`;
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(rows[0]?.['secret_hash']).toHaveLength(32);
});

test('the role is one that the caller may give: 403 otherwise, and 404 for a stranger', async ({
  team,
  invitations,
}) => {
  const statusOf = async (user: typeof team.owner, role: string) =>
    (await invitations.create(user, { email: `${role}@example.org`, role })).statusCode;
  const roles = ['MEMBER', 'ADMIN', 'OWNER'];
  const statuses = async (user: typeof team.owner) =>
    await Promise.all(roles.map(async (role) => await statusOf(user, role)));
  expect(await statuses(team.owner)).toEqual([201, 201, 201]);
  expect(await statuses(team.admin)).toEqual([201, 403, 403]);
  expect(await statuses(team.member)).toEqual([403, 403, 403]);
  expect(await statuses(team.stranger)).toEqual([404, 404, 404]);
});

test('409 for the address of a member, and 400 for what is no address or no role', async ({
  team,
  invitations,
}) => {
  const member = await invitations.create(team.owner, { email: team.member.email });
  expect([member.statusCode, member.json().code]).toEqual([409, 'already_member']);
  for (const payload of [{ email: 'ben' }, { email: BEN, role: 'GOD' }, { email: BEN, name: '' }]) {
    expect((await invitations.create(team.owner, payload)).json().code).toBe('invalid_request');
  }
});

test('409 for more than 100 open invitations of a project, 429 for more than 20 a minute of one person', async ({
  api,
  team,
  invitations,
}) => {
  const { projectId, owner, admin } = team;
  await api.deps.database.sql`
    insert into invitations (id, project_id, email, role, secret_hash, created_by, expires_at)
    select uuidv7(), ${projectId}, n || '@example.org', 'MEMBER', decode(md5(${projectId} || n), 'hex'), ${owner.id},
      now() + interval '1 h'
    from generate_series(1, 100) n`;
  const refused = await invitations.create(owner, { email: BEN });
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'invitation_capacity']);
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1) {
    statuses.push((await invitations.create(admin, { email: '1@example.org' })).statusCode);
  }
  expect(statuses).toEqual([...Array(20).fill(201), 429]);
});

test('the link is mailed to the address, and neither the address nor the link is in the log', async ({
  database,
}) => {
  await using server = await startMailServer();
  const logStream = new PassThrough();
  const logged = text(logStream);
  let secret = '';
  {
    await using api = await startTestApi(database.url, { env: server.env, logStream });
    const ana = await api.createUser();
    await api.deps.database.sql`
      update users set name = ${'Ana\r\nBcc: all@example.org'} where id = ${ana.id}`;
    const projectId = await api.createProject(ana);
    await api.deps.database.sql`update projects set name = 'Größe
      und Gewicht' where id = ${projectId}`;
    const request = { method: 'POST', url: `/projects/${projectId}/invitations` } as const;
    const created = await api.inject(ana, { ...request, payload: { email: BEN } });
    expect(created.json()).toMatchObject({ email: BEN, mailed: true });
    secret = secretIn(created.json().link);
  }
  logStream.end();
  // The end of the API waits for the mail.
  const [mail] = server.mails;
  expect(mail?.to).toEqual([BEN]);
  const { subject, body } = contentOf(mail ?? { from: '', to: [], source: '' });
  expect(subject).toBe('Invitation to the project “Größe und Gewicht”');
  expect(body).toContain('Ana Bcc: all@example.org (');
  expect(body).toContain(`\nhttps://console.example.org/invitation#${secret}\n`);
  const log = await logged;
  expect(log).toContain('/invitations');
  for (const hidden of [secret, BEN]) expect(log).not.toContain(hidden);
});

test('201 while the mail server hangs: the answer waits for no mail, and the audit has what was done', async ({
  database,
}) => {
  await using server = await startMailServer({ onConnect: () => {} });
  await using api = await startTestApi(database.url, { env: server.env });
  const owner = await api.createUser();
  const projectId = await api.createProject(owner);
  const url = `/projects/${projectId}/invitations`;
  const payload = { email: BEN };
  const created = await api.inject(owner, { method: 'POST', url, payload });
  expect([created.statusCode, created.json().mailed]).toEqual([201, true]);
  expect(secretIn(created.json().link)).not.toBe('');
  const audit = await api.inject(owner, { url: `/projects/${projectId}/audit` });
  expect(audit.json().items).toMatchObject([{ action: 'invitation.created' }]);
});

test('five invitations an hour go to one address, however many projects invite it; its forgotten password gets a mail all the same', async ({
  database,
}) => {
  await using server = await startMailServer();
  await using api = await startTestApi(database.url, { env: server.env });
  const inviteBy = async (user: typeof ana, email: string) => {
    const url = `/projects/${await api.createProject(user)}/invitations`;
    return (await api.inject(user, { method: 'POST', url, payload: { email } })).json().mailed;
  };
  const ana = await api.createUser();
  const mailed: boolean[] = [];
  for (let count = 0; count < 6; count += 1) mailed.push(await inviteBy(ana, BEN));
  expect(mailed).toEqual([true, true, true, true, true, false]);
  expect(await inviteBy(ana, 'cleo@example.org')).toBe(true);
  await expect.poll(() => server.mails).toHaveLength(6);
  const payload = { email: BEN, name: 'Ben', password: TEST_PASSWORD };
  await api.app.inject({ method: 'POST', url: '/auth/signup', payload });
  await api.app.inject({ method: 'POST', url: '/auth/forgotten', payload: { email: BEN } });
  await expect.poll(() => server.mails).toHaveLength(7);
  expect(server.mails.at(-1)?.to).toEqual([BEN]);
});
