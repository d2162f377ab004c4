import type { SentMessage } from '@session/contract';
import { decode, messageIdOf, type RoomEvent, TEXTS_ATTRIBUTE } from '@session/contract/room';
import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { agentToken, joinRoom, openRoomService, userToken } from '@session/media';
import { untilReached, withoutProbes } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTestWithMedia, apiTest as test } from '../../../testing/api-test.ts';

const post = (sessionId: string, payload: object) =>
  ({ method: 'POST', url: `/sessions/${sessionId}/messages`, payload }) as const;

/** Returns the stored message of an answer. */
function storedOf(answer: SentMessage) {
  const { deliveredTo, ...message } = answer;
  expect(deliveredTo).toBeNull();
  return message;
}

apiTestWithMedia(
  '201 with the message, stored in the user’s name; the room receives it under the same id',
  async ({ api, ana }) => {
    const media = testMedia();
    const sessionId = await api.createSession(ana);
    const { token } = await userToken(media, { room: sessionId, userId: 'u', name: 'u' });
    const events: RoomEvent[] = [];
    const room = await joinRoom({
      url: media.url,
      token,
      onEvent: (event) => void events.push(event),
    });
    await untilReached(media, sessionId, { identity: room.identity, events });
    const answer = await api.inject(ana, post(sessionId, { content: 'hello' }));
    const { deliveredTo, ...message } = answer.json();
    expect([answer.statusCode, deliveredTo, message]).toEqual([
      201,
      [],
      {
        id: expect.stringMatching(/^.{14}7/),
        sessionId,
        content: 'hello',
        role: 'user',
        status: 'complete',
        timestamp: expect.any(String),
        createdAt: expect.any(String),
        metadata: {
          kind: 'text',
          participant: { identity: `user-${ana.id}`, name: 'ana', sid: null, kind: 'standard' },
          source: 'user_text',
          rawId: message.id,
        },
      },
    ]);
    await expect.poll(() => withoutProbes(events)).toHaveLength(1);
    // A recorder decodes the packet to the same message, but without the participant, whom a packet from the server does not name.
    const [event] = withoutProbes(events);
    const recorded = event && decode(event, { sessionId, newId: () => 'none' });
    const { content, role, status, metadata } = message;
    expect(recorded).toMatchObject({
      outcome: 'store',
      message: {
        id: message.id,
        content,
        role,
        status,
        metadata: { ...metadata, participant: null },
      },
    });
    await room.leave();
    await api.deps.rooms.deleteRoom(sessionId);
    const history = await api.inject(ana, { url: `/sessions/${sessionId}/messages` });
    expect(history.json().items).toEqual([message]);
  },
);

apiTestWithMedia(
  'an id makes retries safe: one message, however often; 409 message_id_taken for another content',
  async ({ api, ana }) => {
    const sessionId = await api.createSession(ana);
    const id = uuidv7().toUpperCase();
    const first = await api.inject(ana, post(sessionId, { content: 'hello', id }));
    expect([first.statusCode, first.json().id]).toEqual([201, id.toLowerCase()]);
    const again = await api.inject(ana, post(sessionId, { content: 'hello', id }));
    expect([again.statusCode, again.json()]).toEqual([201, first.json()]);
    const refused = await api.inject(ana, post(sessionId, { content: 'goodbye', id }));
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'message_id_taken']);
    const named = await api.inject(ana, post(sessionId, { content: 'hello', id: 'mine-1' }));
    expect(named.json()).toMatchObject({
      id: messageIdOf(sessionId, 'text', 'mine-1'),
      metadata: { rawId: 'mine-1' },
    });
    await api.deps.rooms.deleteRoom(sessionId);
  },
);

apiTestWithMedia(
  '201 names the agents in the room that read such texts, and nobody else',
  async ({ api, ana }) => {
    const media = testMedia();
    const room = await api.createSession(ana);
    const attributes = { [TEXTS_ATTRIBUTE]: 'packet' };
    const agentOf = async (agentId: string) =>
      await agentToken(media, { room, role: 'echo-agent', agentId, lifetimeSeconds: 600 });
    const [reader, deaf] = [await agentOf(uuidv7()), await agentOf(uuidv7())];
    const person = await userToken(media, { room, userId: ana.id, name: 'ana' });
    const joined = [
      await joinRoom({ url: media.url, token: deaf.token }),
      await joinRoom({ url: media.url, token: person.token, attributes }),
    ];
    const say = async () => await api.inject(ana, post(room, { content: 'hello' }));
    expect((await say()).json().deliveredTo).toEqual([]);
    joined.push(await joinRoom({ url: media.url, token: reader.token, attributes }));
    expect((await say()).json().deliveredTo).toEqual([reader.identity]);
    for (const one of joined) await one.leave();
    await api.deps.rooms.deleteRoom(room);
  },
);

test('201 for an id that another sender has: each message is stored once, however often it is sent', async ({
  database,
  ana,
}) => {
  const sent: unknown[] = [];
  const sendPacket = async (...packet: unknown[]) => void sent.push(packet);
  await using api = await startTestApi(database.url);
  await using quiet = await startTestApi(database.url, {
    deps: { rooms: { ...api.deps.rooms, sendPacket } },
  });
  const ben = await quiet.createUser('ben');
  const projectId = await quiet.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await quiet.createSession(ana, projectId);
  const id = uuidv7();
  const say = async (user: typeof ana, content: string) =>
    await quiet.inject(user, post(sessionId, { content, id }));
  const first = (await say(ana, 'mine')).json();
  const second = await say(ben, 'no, mine');
  expect([second.statusCode, second.json()]).toMatchObject([
    201,
    {
      content: 'no, mine',
      metadata: { rawId: id, idConflict: true, participant: { name: 'ben' } },
    },
  ]);
  // The rows that a recorder stores: for the packet of the API, and for a packet that Ben himself sent.
  const received = { sessionId, id, role: 'user', status: 'complete', kind: 'text' } as const;
  const row = { ...received, content: 'no, mine', receivedAt: Date.now() };
  for (const participant of [null, { identity: `user-${ben.id}-0a1b2c` }]) {
    const metadata = { kind: 'text', participant, rawId: id };
    await db.appendMessages(quiet.deps.database, [{ ...row, metadata }]);
  }
  expect((await say(ben, 'no, mine')).json()).toEqual(second.json());
  const history = await quiet.inject(ana, { url: `/sessions/${sessionId}/messages` });
  expect(history.json().items).toEqual([storedOf(second.json()), storedOf(first)]);
  const packet = { type: 'user_text', id };
  expect(sent).toMatchObject([
    [sessionId, { ...packet, data: 'mine' }],
    [sessionId, { ...packet, data: 'no, mine' }],
    [sessionId, { ...packet, data: 'no, mine' }],
  ]);
});

test('201 and no second packet for a message that the room has had under an id that was taken', async ({
  database,
  ana,
}) => {
  const sendPacket = vi.fn<() => Promise<void>>(async () => {});
  await using own = await startTestApi(database.url);
  await using api = await startTestApi(database.url, {
    deps: { rooms: { ...own.deps.rooms, sendPacket } },
  });
  const sessionId = await api.createSession(ana);
  const id = uuidv7();
  const received = { sessionId, id, role: 'user', status: 'complete', kind: 'text' } as const;
  for (const [identity, content] of [
    ['agent-echo-agent-1', 'taken'],
    [`user-${ana.id}-0a1b2c`, 'mine'],
  ] as const) {
    const metadata = { kind: 'text', participant: { identity }, rawId: id };
    const row = { ...received, content, receivedAt: Date.now(), metadata };
    await db.appendMessages(api.deps.database, [row]);
  }
  const answer = await api.inject(ana, post(sessionId, { content: 'mine', id }));
  expect(answer.json()).toMatchObject({ content: 'mine', metadata: { idConflict: true } });
  const history = await api.inject(ana, { url: `/sessions/${sessionId}/messages` });
  expect(history.json().items).toMatchObject([{ content: 'mine' }, { content: 'taken' }]);
  expect(sendPacket).not.toHaveBeenCalled();
});

test('503 media_unavailable when the room cannot be reached: the row stays, and the same id sends it again', async ({
  database,
  api,
  ana,
}) => {
  const sent: object[] = [];
  const sessionId = await api.createSession(ana);
  const id = uuidv7();
  const say = post(sessionId, { content: 'hello', id });
  const refused = await api.inject(ana, say);
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'media_unavailable']);
  expect(refused.headers['retry-after']).toBeDefined();
  const rooms = {
    ...api.deps.rooms,
    sendPacket: async (...packet: unknown[]) => void sent.push(packet),
  };
  await using back = await startTestApi(database.url, { deps: { rooms } });
  const done = await back.inject(ana, say);
  const sender = { identity: `user-${ana.id}`, name: 'ana' };
  expect([done.statusCode, sent]).toEqual([
    201,
    [[sessionId, { type: 'user_text', data: 'hello', id, sender }]],
  ]);
  const history = await back.inject(ana, { url: `/sessions/${sessionId}/messages` });
  expect(history.json().items).toEqual([storedOf(done.json())]);
});

test('429 message_rate with Retry-After for 320 messages at once: a minute’s worth is stored, and others still speak', async ({
  database,
}) => {
  const rooms = {
    ...openRoomService(testMedia()),
    sendPacket: async () => {},
    listParticipants: async () => [],
  };
  const clock = { ms: 0 };
  const now = () => clock.ms;
  const env = { SENDER_MESSAGES_PER_SECOND: '4' };
  await using api = await startTestApi(database.url, { deps: { rooms, now }, env });
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const sessionId = await api.createSession(ana);
  const sayTimes = async (count: number) => {
    const answers: Awaited<ReturnType<typeof api.inject>>[] = [];
    while (answers.length < count) {
      const batch = Array.from({ length: 40 }, () => post(sessionId, { content: 'again' }));
      answers.push(...(await Promise.all(batch.map((say) => api.inject(ana, say)))));
    }
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    const codes = refused.map(({ statusCode, json }) => `${statusCode} ${json().code}`);
    expect(new Set(codes)).toEqual(new Set(['429 message_rate']));
    expect(new Set(refused.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['1']));
    return answers.length - refused.length;
  };
  expect(await sayTimes(320)).toBe(240);
  clock.ms += 1000;
  expect(await sayTimes(40)).toBe(4);
  await using reader = openDatabase(database.url);
  const [row] = await reader.sql<{ count: number }[]>`
    select count(*)::int from messages where session_id = ${sessionId}`;
  expect(row?.count).toBe(244);
  const own = await api.createSession(ben);
  expect((await api.inject(ben, post(own, { content: 'hello' }))).statusCode).toBe(201);
});

const badBodies = [
  {},
  { content: '' },
  { content: 7 },
  { content: 'ü'.repeat(16_001) },
  { content: '\u0001'.repeat(12_000) },
  { content: 'a\0b' },
  { content: 'hi', id: '' },
  { content: 'hi', id: 'x'.repeat(257) },
  { content: 'hi', role: 'assistant' },
  { content: 'hi', seq: { q: 'a b', n: 1 } },
  { content: 'hi', seq: { q: 'abc', n: 0 } },
];

test('400 for content that is empty or too long, and for a field that a client may not set', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  for (const body of badBodies) {
    const refused = await api.inject(ana, post(sessionId, body));
    expect([body, refused.statusCode, refused.json().code]).toEqual([body, 400, 'invalid_request']);
  }
});
