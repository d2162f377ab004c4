import * as db from '@session/db';
import { joinRoom } from '@session/media';
import { expect, onTestFinished } from 'vitest';
import { startTestApi, TEST_PASSWORD, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTestWithMedia as test } from '../../../testing/api-test.ts';
import { providerTest, signIn } from '../../../testing/provider-test.ts';
import { sendOutRemovedMembers } from '../../background/housekeeping/send-out.ts';

async function leave(api: TestApi, user: TestUser, password = TEST_PASSWORD) {
  const payload = { password };
  return await api.inject(user, { method: 'DELETE', url: '/auth/me', payload });
}

test('204; the tokens end, the address is free, and members see no account any more', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'ADMIN']]);
  const sessionId = await api.createSession(ben, projectId);
  const wrong = await leave(api, ben, 'wrong');
  expect([wrong.statusCode, wrong.json().code]).toEqual([403, 'wrong_password']);
  const deleted = await leave(api, ben);
  expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
  const requests = [
    { url: '/auth/me' },
    { url: `/projects/${projectId}` },
    { method: 'POST', url: '/projects', payload: { name: 'a' } },
  ] as const;
  for (const request of requests) expect((await api.inject(ben, request)).statusCode).toBe(401);
  const members = await api.inject(ana, { url: `/projects/${projectId}/members` });
  expect(members.json().items).toMatchObject([{ userId: ana.id }]);
  const session = await api.inject(ana, { url: `/sessions/${sessionId}` });
  expect(session.json()).toMatchObject({ createdBy: ben.id });
  const payload = { email: ben.email, password: TEST_PASSWORD };
  const login = await api.app.inject({ method: 'POST', url: '/auth/login', payload });
  expect(login.statusCode).toBe(401);
  const next = { ...payload, name: 'Ben' };
  const signUp = await api.app.inject({ method: 'POST', url: '/auth/signup', payload: next });
  expect([signUp.statusCode, signUp.json().user?.id === ben.id]).toEqual([201, false]);
  const row = await db.findUser(api.deps.database, ben.id);
  expect(row).toMatchObject({ name: 'Deleted user', email: `deleted:${ben.id}` });
});

providerTest(
  'an account without a password is deleted by a token of the last five minutes; the next sign-in makes another account',
  async ({ database, provider, ada }) => {
    let now = Date.now();
    const deps = { now: () => now };
    await using api = await startTestApi(database.url, { env: provider.env, deps });
    const remove = { method: 'DELETE', url: '/auth/me', payload: {} } as const;
    const ana = await api.createUser();
    expect((await api.inject(ana, remove)).json().code).toBe('wrong_password');
    const { user, token } = (await signIn(api, provider, ada)).body;
    const { iat = 0 } = api.app.jwt.decode<{ iat?: number }>(token) ?? {};
    now = iat * 1000 + 300_001;
    const late = (await api.inject({ ...user, token }, remove)).json();
    expect(late).toMatchObject({ status: 403, code: 'no_password' });
    expect(late.detail).toContain('Sign in again');
    now -= 1;
    expect((await api.inject({ ...user, token }, remove)).statusCode).toBe(204);
    const next = await signIn(api, provider, ada);
    expect([next.status, next.body.user.id === user.id]).toEqual([200, false]);
  },
);

test('409 with the projects that have no other OWNER, then with those that another OWNER must take over', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const alone = await api.createProject(ana, [[ben, 'ADMIN']]);
  const shared = await api.createProject(ana, [[ben, 'OWNER']]);
  const joined = await api.createProject(ben, [[ana, 'OWNER']]);
  const orphaned = (await leave(api, ana)).json();
  expect(orphaned).toMatchObject({ status: 409, code: 'last_owner' });
  expect(orphaned.detail).toContain(`"project" (${alone})`);
  for (const other of [shared, joined]) expect(orphaned.detail).not.toContain(other);
  expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(200);
  await api.inject(ana, { method: 'DELETE', url: `/projects/${alone}` });
  const counted = (await leave(api, ana)).json();
  expect(counted).toMatchObject({ status: 409, code: 'project_account' });
  expect(counted.detail).toContain(shared);
  expect(counted.detail).not.toContain(joined);
  const url = `/projects/${shared}/members/${ana.id}`;
  expect((await api.inject(ben, { method: 'DELETE', url })).statusCode).toBe(204);
  expect((await leave(api, ana)).statusCode).toBe(204);
});

test('a room token of a deleted account is barred, however often it is used', async ({
  api,
  ana,
}) => {
  await using stack = new AsyncDisposableStack();
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await api.createSession(ana, projectId);
  onTestFinished(() => api.deps.rooms.deleteRoom(sessionId));
  const url = `/sessions/${sessionId}/token`;
  const answer = await api.inject(ben, { method: 'POST', url, payload: {} });
  const { serverUrl, participantToken: token } = answer.json();
  const inRoom = stack.use(await joinRoom({ url: serverUrl, token }));
  expect((await leave(api, ben)).statusCode).toBe(204);
  expect(await sendOutRemovedMembers(api.deps)).toEqual([inRoom.identity]);
  await inRoom.closed;
  // The media server deletes a participant that left by identity alone. If it did so late, it would delete the participant
  // that joins next.
  await expect.poll(() => api.deps.rooms.listParticipants(sessionId)).toEqual([]);
  const again = stack.use(await joinRoom({ url: serverUrl, token }));
  expect(await sendOutRemovedMembers(api.deps)).toEqual([inRoom.identity]);
  await again.closed;
});

test('a deletion and a membership that is added at the same moment leave no deleted member', async ({
  api,
  ana,
}) => {
  const projects = await Promise.all(Array.from({ length: 4 }, () => api.createProject(ana)));
  const ben = await api.createUser('ben');
  const added = projects.map((id) =>
    api.inject(ana, {
      method: 'POST',
      url: `/projects/${id}/members`,
      payload: { email: ben.email, role: 'OWNER' },
    }),
  );
  let deleted = await leave(api, ben);
  await Promise.all(added);
  while (deleted.statusCode === 409) deleted = await leave(api, ben);
  expect(deleted.statusCode).toBe(204);
  const left = await api.deps.database.sql`select from memberships where user_id = ${ben.id}`;
  expect(left).toHaveLength(0);
});
