import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { agentToken, joinRoom } from '@session/media';
import { createTestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { sendOutStoppedAgents } from './send-out.ts';

test('a Stopped agent is removed from its room, after each return with its token too; others stay', async () => {
  const media = testMedia();
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url, { media }));
  const own = stack.use(openDatabase(database.url, { connections: 1 }));
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  onTestFinished(() => api.deps.rooms.deleteRoom(sessionId));
  const start = async (role: string) => {
    const id = uuidv7();
    const row = { id, sessionId, role, planId: null, envTemplateId: null, config: {} };
    expect(await db.insertAgent(own, { ...row, createdBy: ana.id })).toBe('inserted');
    const { token } = await agentToken(media, { room: sessionId, role, agentId: id });
    return { id, token, identity: agentIdentity({ role, agentId: id }) };
  };
  const [stopped, live] = [await start('light-agent'), await start('echo-agent')];
  const join = async (token: string) => stack.use(await joinRoom({ url: media.url, token }));
  await join(live.token);
  await join(stopped.token);
  expect(await sendOutStoppedAgents(api.deps)).toEqual([]);
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await db.updateAgentState(own, stopped.id, { status: 'Stopped', ...end });

  const present = async () => {
    const listed = await api.deps.rooms.listParticipants(sessionId);
    return listed.map(({ identity }) => identity);
  };
  const secondsLeft = async () => {
    const [row] = await own.sql<{ seconds: number }[]>`
      select extract(epoch from barred_until - now())::float8 as seconds
      from agents where id = ${stopped.id}`;
    return row?.seconds;
  };
  expect(await sendOutStoppedAgents(api.deps)).toEqual([stopped.identity]);
  await expect.poll(present).toEqual([live.identity]);
  await own.sql`update agents set barred_until = now() + interval '1 min' where id = ${stopped.id}`;
  expect(await sendOutStoppedAgents(api.deps)).toEqual([]);
  expect(await secondsLeft()).toBeLessThan(61);
  await join(stopped.token);
  expect(await present()).toContain(stopped.identity);
  // The server has renewed the token.
  expect(await sendOutStoppedAgents(api.deps)).toEqual([stopped.identity]);
  expect(await secondsLeft()).toBeGreaterThan(660);
  await expect.poll(present).toEqual([live.identity]);
});
