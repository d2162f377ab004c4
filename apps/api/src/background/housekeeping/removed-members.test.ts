import { openDatabase } from '@session/db';
import { joinRoom } from '@session/media';
import { createTestDatabase, testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { sendOutRemovedMembers } from './send-out.ts';

test('a removed member is removed from the project’s rooms, after each return with an old token too; others stay', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url, { media: testMedia() }));
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const [id, foreign] = [await api.createSession(ana, projectId), await api.createSession(ben)];
  for (const room of [id, foreign]) onTestFinished(() => api.deps.rooms.deleteRoom(room));
  const old = await tokenOf(api, ben, id);
  stack.use(await joinRoom(await tokenOf(api, ana, id)));
  stack.use(await joinRoom(await tokenOf(api, ben, foreign)));
  const inRoom = stack.use(await joinRoom(old));
  expect(await sendOutRemovedMembers(api.deps)).toEqual([]);
  await remove(api, ana, projectId, ben);

  expect(await sendOutRemovedMembers(api.deps)).toEqual([inRoom.identity]);
  await expect.poll(() => peopleIn(api, id)).toEqual([ana.id]);
  stack.use(await joinRoom(old));
  expect(await peopleIn(api, id)).toContain(ben.id);
  expect(await sendOutRemovedMembers(api.deps)).toEqual([inRoom.identity]);
  await expect.poll(() => peopleIn(api, id)).toEqual([ana.id]);
  expect(await peopleIn(api, foreign)).toEqual([ben.id]);
});

test('a removed member who only observes is removed from the room, too', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url, { media: testMedia() }));
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  onTestFinished(() => api.deps.rooms.deleteRoom(id));
  const observer = stack.use(await joinRoom(await tokenOf(api, ben, id, 'observe')));
  await remove(api, ana, projectId, ben);
  expect(await sendOutRemovedMembers(api.deps)).toEqual([observer.identity]);
  expect(await observer.closed).toBe('PARTICIPANT_REMOVED');
});

test('a member who was added again may stay', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url, { media: testMedia() }));
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  onTestFinished(() => api.deps.rooms.deleteRoom(id));
  await remove(api, ana, projectId, ben);
  const url = `/projects/${projectId}/members`;
  await api.inject(ana, { method: 'POST', url, payload: { email: ben.email } });
  stack.use(await joinRoom(await tokenOf(api, ben, id)));
  expect(await sendOutRemovedMembers(api.deps)).toEqual([]);
});

test('a removed member is barred for longer than a token lasts, counted from the last sighting, and then forgotten', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url, { media: testMedia() }));
  const own = stack.use(openDatabase(database.url, { connections: 1 }));
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  onTestFinished(() => api.deps.rooms.deleteRoom(id));
  const old = await tokenOf(api, ben, id);
  await remove(api, ana, projectId, ben);
  const left = async () => {
    const [row] = await own.sql<{ seconds: number }[]>`
      select extract(epoch from barred_until - now())::int as seconds from removed_members`;
    return row?.seconds;
  };
  expect(await left()).toBeGreaterThan(660);
  await own.sql`update removed_members set barred_until = now() + interval '1 min'`;
  expect(await sendOutRemovedMembers(api.deps)).toEqual([]);
  expect(await left()).toBeLessThan(61);
  stack.use(await joinRoom(old));
  expect(await sendOutRemovedMembers(api.deps)).toHaveLength(1);
  expect(await left()).toBeGreaterThan(660);
  await own.sql`update removed_members set barred_until = now() - interval '1 s'`;
  await expect.poll(() => peopleIn(api, id)).toEqual([]);
  await sendOutRemovedMembers(api.deps);
  expect(await left()).toBeUndefined();
});

async function tokenOf(api: TestApi, user: TestUser, id: string, mode = 'join') {
  const url = `/sessions/${id}/token`;
  const answer = await api.inject(user, { method: 'POST', url, payload: { mode } });
  const { serverUrl, participantToken } = answer.json();
  return { url: serverUrl, token: participantToken };
}

async function remove(api: TestApi, by: TestUser, projectId: string, user: TestUser) {
  const url = `/projects/${projectId}/members/${user.id}`;
  expect((await api.inject(by, { method: 'DELETE', url })).statusCode).toBe(204);
}

/** Returns the identities of the participants in the room of a session. */
async function peopleIn(api: TestApi, id: string): Promise<string[]> {
  const present = await api.deps.rooms.listParticipants(id);
  return present.map(({ identity }) => identity.slice('user-'.length, -'-123456'.length));
}
