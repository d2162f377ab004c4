import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
import { startTestApi, type TestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { secretIn } from '../../../testing/invitations.ts';
import { contentOf, startMailServer } from '../../../testing/mail-server.ts';

async function forget({ app }: TestApi, email: string, remoteAddress = '192.0.2.1') {
  const request = { method: 'POST', url: '/auth/forgotten', payload: { email } } as const;
  return await app.inject({ ...request, remoteAddress });
}

test('202 for any address, without a statement before the answer; the address of an account gets a link', async ({
  database,
}) => {
  await using server = await startMailServer();
  await using api = await startTestApi(database.url, { env: server.env });
  const ana = await api.createUser();
  const known = await forget(api, ana.email.toUpperCase());
  const unknown = await forget(api, 'nobody@example.org');
  for (const answer of [known, unknown]) {
    expect([answer.statusCode, answer.body]).toEqual([202, '{}']);
  }
  await expect.poll(() => server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail?.to).toEqual([ana.email]);
  const { subject, body } = contentOf(mail ?? { from: '', to: [], source: '' });
  expect(subject).toBe('Set a new password');
  expect(body).toMatch(/\nhttps:\/\/console\.example\.org\/reset-password#[\w-]{43}\n/);
  const payload = { secret: secretIn(body), password: 'battery staple' };
  const reset = await api.app.inject({ method: 'POST', url: '/auth/reset-password', payload });
  expect(reset.json()).toMatchObject({ user: { id: ana.id } });
});

test('202 while the database is locked or the mail server hangs: the answer waits for neither', async ({
  database,
}) => {
  await using server = await startMailServer({ onConnect: () => {} });
  await using api = await startTestApi(database.url, { env: server.env });
  const ana = await api.createUser();
  {
    await using _ = await holdLocks(
      database.url,
      (sql) => sql`lock table users, password_links in access exclusive mode`,
    );
    expect((await forget(api, ana.email)).statusCode).toBe(202);
  }
  expect((await forget(api, ana.email)).statusCode).toBe(202);
});

test('five mails an hour go to one address, from wherever they are asked for; the answer stays the same', async ({
  database,
}) => {
  await using server = await startMailServer();
  {
    await using api = await startTestApi(database.url, { env: server.env });
    const ana = await api.createUser();
    for (let count = 0; count < 8; count += 1) {
      const { statusCode, body } = await forget(api, ana.email, `192.0.2.${count}`);
      expect([statusCode, body]).toEqual([202, '{}']);
    }
  }
  expect(server.mails).toHaveLength(5);
});

test('429 for more than 30 requests a minute from one network', async ({ database }) => {
  await using api = await startTestApi(database.url);
  const statuses: number[] = [];
  for (let count = 0; count < 31; count += 1) {
    statuses.push((await forget(api, `${count}@example.org`)).statusCode);
  }
  expect(statuses).toEqual([...Array(30).fill(202), 429]);
});

test('without a mail server the operator finds one hint in the log, without the address', async ({
  database,
}) => {
  const logStream = new PassThrough();
  const logged = text(logStream);
  {
    await using api = await startTestApi(database.url, { logStream });
    const ana = await api.createUser();
    for (const email of [ana.email, 'nobody@example.org']) {
      expect((await forget(api, email)).statusCode).toBe(202);
    }
    expect(
      await api.deps.database.sql`
      select from password_links where user_id = ${ana.id}`,
    ).toHaveLength(0);
  }
  logStream.end();
  const log = await logged;
  expect(log.match(/SMTP_URL not set/g)).toHaveLength(1);
  expect(log).not.toContain('@example.org');
});
