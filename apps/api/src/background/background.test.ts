import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { agentToken, joinRoom } from '@session/media';
import { createTestDatabase, DatabaseProxy, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { openBackground } from './background.ts';

test.for([
  ['on', 1],
  ['off', 0],
] as const)(
  'a running service deletes the room of a closed session; with FOLLOWERS=%s it indexes %i of its messages',
  async ([FOLLOWERS, indexed]) => {
    await using service = await openService({ FOLLOWERS });
    const { api, ana } = service;
    const id = await api.createSession(ana);
    const message = { method: 'POST', url: `/sessions/${id}/messages`, payload: { content: 'hi' } };
    expect((await api.inject(ana, message)).statusCode).toBe(201);
    await api.deps.rooms.createRoom(id);
    await api.inject(ana, { method: 'POST', url: `/sessions/${id}/close` });
    await expect.poll(() => api.deps.rooms.listRooms()).not.toContain(id);
    const { sql } = api.deps.database;
    await expect
      .poll(() => sql`select 1 from message_search where session_id = ${id}`)
      .toHaveLength(indexed);
  },
);

test('a running service removes former members from rooms, and closes sessions without participants', async () => {
  // A check each second, and two seconds without participants: the shortest possible times.
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  const env = { SESSION_IDLE_CLOSE_HOURS: '0.0003' };
  await using service = await openService(env, database.url);
  const { api, ana } = service;
  const { rooms } = api.deps;
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  // The idle time does not begin before the person is in the room.
  await client.sql`alter table sessions alter column created_at set default now() + interval '1 h'`;
  const id = await api.createSession(ana, projectId);
  const payload = {};
  const given = await api.inject(ben, { method: 'POST', url: `/sessions/${id}/token`, payload });
  const { serverUrl: url, participantToken: token } = given.json();
  await using room = await joinRoom({ url, token });
  expect(await rooms.listParticipants(id)).toMatchObject([{ identity: room.identity }]);
  await client.sql`update sessions set created_at = now()`;
  const member = `/projects/${projectId}/members/${ben.id}`;
  await api.inject(ana, { method: 'DELETE', url: member });
  await expect.poll(() => rooms.listParticipants(id)).toEqual([]);
  const found = async () => (await api.inject(ana, { url: `/sessions/${id}` })).json();
  await expect.poll(found).toMatchObject({ status: 'CLOSED', closeReason: 'idle' });
  await expect.poll(() => rooms.listRooms()).not.toContain(id);
});

test('a running service removes a Stopped agent that is in its room again', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  const media = testMedia();
  await using api = await startTestApi(database.url, { media });
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: ana.id };
  await db.insertAgent(client, { ...agent, planId: null, envTemplateId: null, config: {} });
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await db.updateAgentState(client, agent.id, { status: 'Stopped', ...end });
  const of = { room: sessionId, role: agent.role, agentId: agent.id };
  const { token } = await agentToken(media, of);
  await using room = await joinRoom({ url: media.url, token });
  const present = () => api.deps.rooms.listParticipants(sessionId);
  expect(await present()).toMatchObject([{ identity: room.identity }]);
  await using _ = await openService({}, database.url);
  await expect.poll(present).toEqual([]);
});

test('behind a pooler two connections of a service lead past it: they listen for messages and callers, and for agents and sessions', async () => {
  await using database = await createTestDatabase();
  await using direct = await DatabaseProxy.open(database.url);
  await using service = await openService({ DATABASE_DIRECT_URL: direct.url }, database.url);
  await service.api.app.ready();
  await using client = openDatabase(database.url, { connections: 1 });
  const listening = async () => {
    const rows = await client.sql`
      select query from pg_stat_activity
      where datname = current_database() and query like 'listen %' order by query`;
    return rows.map(({ query }) => query);
  };
  await expect
    .poll(listening)
    .toEqual([
      'listen agent_changed;listen session_changed;listen messages_stored',
      'listen caller_changed;listen messages_stored',
    ]);
  await expect.poll(() => direct.connectionCount).toBe(2);
  await direct.refuseConnections();
  await expect.poll(listening).toEqual([]);
});

async function openService(env: NodeJS.ProcessEnv = {}, url?: string) {
  await using stack = new AsyncDisposableStack();
  const databaseUrl = url ?? stack.use(await createTestDatabase()).url;
  const AGENT_PROCESS_DIR = await mkdtemp(path.join(tmpdir(), 'agents-'));
  stack.defer(() => rm(AGENT_PROCESS_DIR, { recursive: true }));
  const options = { media: testMedia(), env: { ...env, AGENT_PROCESS_DIR } };
  const api = stack.use(await startTestApi(databaseUrl, options));
  stack.use(await openBackground(api.deps, api.app.log));
  const ana = await api.createUser();
  const owned = stack.move();
  return { api, ana, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
