import * as db from '@session/db';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('an end user reads their session and speaks in it as themselves, in any session the same account', async ({
  api,
  ana,
}) => {
  const { projectId, key } = await product(api, ana);
  const [first, second] = [
    await api.createSession(key, projectId),
    await api.createSession(key, projectId),
  ];
  const ada = await api.createParticipant(key, first, 'customer-7');
  expect((await api.createParticipant(key, second, 'customer-7')).id).toBe(ada.id);
  expect((await api.createParticipant(key, first, 'customer-8')).id).not.toBe(ada.id);
  await api.deps.database.sql`
    update sessions set external_id = 'order-7', metadata = '{"plan": "gold"}' where id = ${first}`;
  const shown = async (user: TestUser) =>
    (await api.inject(user, { url: `/sessions/${first}` })).json();
  expect(await shown(key)).toMatchObject({ externalId: 'order-7', metadata: { plan: 'gold' } });
  expect(await shown(ada)).toMatchObject({ id: first, externalId: null, metadata: {} });
  const me = (await api.inject(ada, { url: '/auth/me' })).json();
  expect(me).toMatchObject({ id: ada.id, name: 'guest', projectMemberships: [] });
  const said = await say(api, ada, first, 'Good morning');
  // There is no media server here, so the message is stored and not sent.
  expect(said.json().code).toBe('media_unavailable');
  const { items } = (await api.inject(ada, { url: `/sessions/${first}/messages` })).json();
  expect(items).toMatchObject([
    {
      role: 'user',
      content: 'Good morning',
      metadata: {
        participant: { identity: `user-${ada.id}`, name: 'guest', externalId: 'customer-7' },
      },
    },
  ]);
  const elsewhere = await say(api, ada, second, 'Good morning');
  expect(elsewhere.json()).toMatchObject({
    status: 404,
    detail: expect.stringMatching(/^The token of an end user opens its own session only/),
  });
});

test('two end users of one key are two senders: one repeats under a key of its own, and takes no id of the other', async ({
  api,
  ana,
}) => {
  const { projectId, key } = await product(api, ana);
  const sessionId = await api.createSession(key, projectId);
  const [ada, ben] = [
    await api.createParticipant(key, sessionId),
    await api.createParticipant(key, sessionId),
  ];
  for (const user of [ada, ben, ada]) await say(api, user, sessionId, 'Hello', 'the same');
  const { items } = (await api.inject(ada, { url: `/sessions/${sessionId}/messages` })).json();
  expect(
    items.map((item: { metadata: { participant: { identity: string } } }) =>
      item.metadata.participant.identity.slice(5),
    ),
  ).toEqual([ben.id, ada.id]);
});

test('an observer reads, and neither speaks nor joins; no participant lets another in', async ({
  api,
  ana,
}) => {
  const { projectId, key } = await product(api, ana);
  const sessionId = await api.createSession(key, projectId);
  const url = `/sessions/${sessionId}/token`;
  const participant = { id: 'customer-7', name: 'Ada' };
  const token = async (user: TestUser, payload: object) =>
    await api.inject(user, { method: 'POST', url, payload });
  const issued = (await token(key, { participant, mode: 'observe', accessTtl: 60 })).json();
  expect(Date.parse(issued.accessExpiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
  const ada = { ...ana, token: issued.accessToken };
  expect((await api.inject(ada, { url: `/sessions/${sessionId}/messages` })).statusCode).toBe(200);
  expect((await say(api, ada, sessionId, 'Hello')).json().code).toBe('forbidden');
  expect((await token(ada, {})).json().code).toBe('forbidden');
  const again = (await token(ada, { mode: 'observe' })).json();
  expect(again.participantIdentity).toMatch(/^observer-/);
  // A token that renews itself would have no end.
  expect(again.accessToken).toBeNull();
  expect((await token(ada, { participant, mode: 'observe' })).json().code).toBe('forbidden');
  const member = await api.createUser('ben');
  await db.insertMembership(api.deps.database, {
    id: member.id,
    userId: member.id,
    projectId,
    role: 'MEMBER',
  });
  expect((await token(member, { participant })).json().code).toBe('forbidden');
  expect((await token(ana, { participant })).statusCode).toBe(201);
});

test('a closed session is still read, and nothing more; with the key a participant ends at once', async ({
  api,
  ana,
}) => {
  const { projectId, key } = await product(api, ana);
  const sessionId = await api.createSession(key, projectId);
  const ada = await api.createParticipant(key, sessionId);
  const read = async (url: string) => (await api.inject(ada, { url })).statusCode;
  await db.closeSession(api.deps.database, sessionId, 'user');
  expect(await read(`/sessions/${sessionId}`)).toBe(200);
  expect((await say(api, ada, sessionId, 'Hello')).json().code).toBe('session_closed');
  const url = `/sessions/${sessionId}/token`;
  expect((await api.inject(ada, { method: 'POST', url, payload: {} })).json().code).toBe(
    'session_closed',
  );
  await api.inject(ana, { method: 'DELETE', url: `/api-keys/${key.id}` });
  const paths = [`/sessions/${sessionId}`, `/sessions/${sessionId}/messages`, '/auth/me'];
  // The membership of the key is deleted before the answer. A moment later, each process also refuses the token itself.
  for (const path of paths) expect(await read(path)).toBeGreaterThanOrEqual(401);
  await expect.poll(async () => await read('/auth/me')).toBe(401);
});

test('with the removal of the ADMIN who let them in an end user is out, and their token does not outlive the key', async ({
  api,
  ana,
}) => {
  const admin = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[admin, 'ADMIN']]);
  const sessionId = await api.createSession(ana, projectId);
  const ada = await api.createParticipant(admin, sessionId);
  const read = async () => (await api.inject(ada, { url: `/sessions/${sessionId}` })).statusCode;
  expect(await read()).toBe(200);
  await api.inject(ana, { method: 'DELETE', url: `/projects/${projectId}/members/${admin.id}` });
  expect(await read()).toBe(404);
  expect((await say(api, ada, sessionId, 'Hello')).statusCode).toBe(404);
  const key = await api.createKey(projectId);
  await api.deps.database
    .sql`update api_keys set expires_at = now() + interval '2 min' where user_id = ${key.id}`;
  const payload = { participant: { id: 'customer-7', name: 'Ada' } };
  const url = `/sessions/${sessionId}/token`;
  const { accessExpiresAt } = (await api.inject(key, { method: 'POST', url, payload })).json();
  expect(Date.parse(accessExpiresAt) - Date.now()).toBeLessThanOrEqual(121_000);
});

test('an end user gets 30 room tokens a minute; accessTtl needs a participant', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const ada = await api.createParticipant(ana, sessionId);
  const url = `/sessions/${sessionId}/token`;
  const ask = async (user: TestUser, payload: object) =>
    (await api.inject(user, { method: 'POST', url, payload })).statusCode;
  for (let count = 0; count < 30; count += 1) expect(await ask(ada, {})).toBe(201);
  expect(await ask(ada, {})).toBe(429);
  expect(await ask(ana, {})).toBe(201);
  expect(await ask(ana, { accessTtl: 60 })).toBe(400);
});

test('a participant’s token is no account’s: it neither signs in elsewhere nor is taken for that of its issuer', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const ada = await api.createParticipant(ana, sessionId);
  const { aud, sub, as } = JSON.parse(
    Buffer.from(ada.token.split('.')[1] ?? '', 'base64url').toString('utf8'),
  );
  // A process of the former release takes tokens of the audience `session-service-api` only.
  expect([aud, sub, as]).toEqual(['session-service-participant', ana.id, ada.id]);
  expect((await api.inject(ada, { url: '/nowhere' })).statusCode).toBe(404);
  const upper = `/sessions/${sessionId.toUpperCase()}`;
  expect((await api.inject(ada, { url: upper })).statusCode).toBe(200);
});

async function product(api: TestApi, owner: TestUser) {
  const projectId = await api.createProject(owner);
  return { projectId, key: await api.createKey(projectId) };
}

async function say(api: TestApi, user: TestUser, sessionId: string, content: string, key?: string) {
  return await api.inject(user, {
    method: 'POST',
    url: `/sessions/${sessionId}/messages`,
    payload: { content },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
}
