import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinRoom } from '@session/media';
import { createTestDatabase, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { openBackground } from './background.ts';

test('a running service deletes the room of a closed session', async () => {
  await using service = await openService();
  const { api, ana } = service;
  const id = await api.createSession(ana);
  await api.deps.rooms.createRoom(id);
  await api.inject(ana, { method: 'POST', url: `/sessions/${id}/close` });
  await expect.poll(() => api.deps.rooms.listRooms()).not.toContain(id);
});

test('a running service removes former members from rooms, and closes sessions without participants', async () => {
  // A check each second, and two seconds without participants: the shortest possible times.
  await using service = await openService({ SESSION_IDLE_CLOSE_HOURS: '0.0003' });
  const { api, ana } = service;
  const { rooms } = api.deps;
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  const payload = {};
  const given = await api.inject(ben, { method: 'POST', url: `/sessions/${id}/token`, payload });
  const { serverUrl: url, participantToken: token } = given.json();
  await using room = await joinRoom({ url, token });
  expect(await rooms.listParticipants(id)).toMatchObject([{ identity: room.identity }]);
  const member = `/projects/${projectId}/members/${ben.id}`;
  await api.inject(ana, { method: 'DELETE', url: member });
  await expect.poll(() => rooms.listParticipants(id)).toEqual([]);
  const found = async () => (await api.inject(ana, { url: `/sessions/${id}` })).json();
  await expect.poll(found).toMatchObject({ status: 'CLOSED', closeReason: 'idle' });
  await expect.poll(() => rooms.listRooms()).not.toContain(id);
});

async function openService(env: NodeJS.ProcessEnv = {}) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const AGENT_PROCESS_DIR = await mkdtemp(path.join(tmpdir(), 'agents-'));
  stack.defer(() => rm(AGENT_PROCESS_DIR, { recursive: true }));
  const options = { media: testMedia(), env: { ...env, AGENT_PROCESS_DIR } };
  const api = stack.use(await startTestApi(database.url, options));
  stack.use(await openBackground(api.deps, api.app.log));
  const ana = await api.createUser();
  const owned = stack.move();
  return { api, ana, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
