import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { agentToken, joinRoom, observerToken, recorderToken, userToken } from '@session/media';
import { createTestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { closeIdleSessions } from './idle-sessions.ts';

const HOUR_MS = 3_600_000;

test('a session without participants is closed after the idle time, and not before', async () => {
  await using setting = await openSetting();
  const { api, ana } = setting;
  const [empty, young] = [await setting.session('2 h'), await setting.session('59 min')];
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([empty]);
  const found = await api.inject(ana, { url: `/sessions/${empty}` });
  expect(found.json()).toMatchObject({ status: 'CLOSED', closeReason: 'idle' });
  const other = await api.inject(ana, { url: `/sessions/${young}` });
  expect(other.json()).toMatchObject({ status: 'ACTIVE' });
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([]);
});

test('a person in the room keeps the session open until the idle time after leaving; recorders, agents and observers do not', async () => {
  await using setting = await openSetting();
  const { api, ana } = setting;
  const media = testMedia();
  const [visited, ours] = [await setting.session('2 h'), await setting.session('2 h')];
  const speaker = await userToken(media, { room: visited, userId: ana.id, name: 'ana' });
  const room = await joinRoom({ url: media.url, token: speaker.token });
  const agent = { room: ours, role: 'echo-agent', agentId: uuidv7() };
  const recorder = { room: ours, identity: `recorder-${uuidv7()}` };
  await using stack = new AsyncDisposableStack();
  for (const { token } of [
    await agentToken(media, agent),
    await recorderToken(media, recorder),
    await observerToken(media, { room: ours, userId: ana.id }),
  ]) {
    stack.use(await joinRoom({ url: media.url, token }));
  }
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([ours]);
  await room.leave();
  await api.deps.rooms.deleteRoom(visited);
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([]);
  await setting.age('attended_at', visited, '2 h');
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([visited]);
});

test('messages and stays of people in the idle time keep the session open, although nobody saw them; agents’ messages do not', async () => {
  await using setting = await openSetting();
  const { api } = setting;
  const [spoken, left, talking] = [
    await setting.session('2 h'),
    await setting.session('2 h'),
    await setting.session('2 h'),
  ];
  const message = { id: uuidv7(), receivedAt: Date.now(), status: null, content: 'x' };
  await db.appendMessages(api.deps.database, [
    { ...message, sessionId: spoken, role: 'user', kind: 'text', metadata: null },
    {
      ...message,
      sessionId: left,
      role: 'system',
      kind: 'participant_left',
      metadata: { participant: { identity: `user-${uuidv7()}-123456` } },
    },
    {
      ...message,
      sessionId: talking,
      role: 'assistant',
      kind: 'text',
      metadata: { participant: { identity: 'agent-x-1' } },
    },
  ]);
  expect(await closeIdleSessions(api.deps, HOUR_MS)).toEqual([talking]);
});

test('nothing is closed while the media server is away', async () => {
  await using setting = await openSetting();
  const id = await setting.session('2 h');
  await using away = await startTestApi(setting.url);
  await expect(closeIdleSessions(away.deps, HOUR_MS)).rejects.toMatchObject({
    code: 'media_unavailable',
  });
  expect(await closeIdleSessions(setting.api.deps, HOUR_MS)).toEqual([id]);
});

async function openSetting() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(url, { media: testMedia() }));
  const { sql } = stack.use(openDatabase(url, { connections: 1 }));
  const ana = await api.createUser();
  const owned = stack.move();
  const age = async (column: string, id: string, by: string) =>
    await sql`update sessions set ${sql(column)} = ${sql(column)} - ${by}::interval where id = ${id}`;
  return {
    url,
    api,
    ana,
    age,
    /** Creates an ACTIVE session with this age, and returns its id. */
    async session(ago: string): Promise<string> {
      const id = await api.createSession(ana);
      onTestFinished(() => api.deps.rooms.deleteRoom(id));
      await age('created_at', id, ago);
      return id;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
