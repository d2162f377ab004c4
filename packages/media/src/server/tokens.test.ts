import { examplesOf, SentMessage, SessionState, SessionToken } from '@session/contract';
import { agentIdentity, isAgent, isOperator, isRecorder, senderOf } from '@session/contract/room';
import { testMedia } from '@session/testing';
import * as fc from 'fast-check';
import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '../../testing/rooms.ts';
import { isRefusedToken } from '../media-error.ts';
import { joinRoom } from '../room/join-room.ts';
import type { MediaServer } from './media-server.ts';
import { openRoomService } from './room-service.ts';
import {
  agentToken,
  isForeign,
  isIdentityOf,
  observerToken,
  operatorToken,
  type RoomToken,
  recorderToken,
  tokenOwner,
  userToken,
} from './tokens.ts';

const keys = { url: 'ws://127.0.0.1:1', apiKey: 'key', apiSecret: 'secret'.repeat(6) };
const speaking = {
  roomJoin: true,
  room: 'r1',
  canSubscribe: true,
  canPublish: true,
  canPublishSources: ['microphone'],
  canPublishData: true,
  canUpdateOwnMetadata: true,
};

test('a user’s token lets one identity speak in one room, for ten minutes', async () => {
  const user = { room: 'r1', userId: 'u1', name: 'Ann' };
  const { token, identity, expiresAt } = await userToken(keys, user);
  const { video, name, sub, exp, nbf, kind } = decode(token);
  expect(video).toEqual(speaking);
  expect([name, sub, kind]).toEqual(['Ann', identity, undefined]);
  expect(identity).toMatch(/^user-u1-[0-9a-f]{6}$/);
  expect(exp - nbf).toBe(600);
  expect(expiresAt).toBe(new Date(exp * 1000).toISOString());
  expect((await userToken(keys, user)).identity).not.toBe(identity);
});

test('an operator’s token lets it speak as its account, under an identity that no other token has', async () => {
  const userId = '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b';
  const user = { room: 'r1', userId, name: 'Eva' };
  const { token, identity } = await operatorToken(keys, user);
  const { video, name, exp, nbf } = decode(token);
  expect([video, name, exp - nbf]).toEqual([speaking, 'Eva', 600]);
  expect([isOperator({ identity }), senderOf(identity)]).toEqual([true, `user-${userId}`]);
  expect([tokenOwner(identity), isIdentityOf(userId, identity)]).toEqual([{ userId }, true]);
  const { identity: other } = await userToken(keys, { ...user, attributes: { operator: 'true' } });
  expect(isOperator({ identity: other })).toBe(false);
});

test('an agent’s token is of kind agent, and lets it join for ten minutes, not for as long as it may run', async () => {
  const agent = { room: 'r1', role: 'echo-agent', agentId: '01a1fd50-b185-739e' };
  const { video, sub, kind, exp, nbf } = decode((await agentToken(keys, agent)).token);
  expect(video).toEqual(speaking);
  expect([sub, kind, exp - nbf]).toEqual(['agent-echo-agent-185-739e', 'agent', 600]);
});

test.each([
  [
    'a recorder’s',
    () => recorderToken(keys, { room: 'r1', identity: 'recorder-1' }),
    /^recorder-1$/,
  ],
  [
    'an observer’s',
    () => observerToken(keys, { room: 'r1', userId: 'u1' }),
    /^observer-u1-[0-9a-f]{6}$/,
  ],
])('%s token is for listening alone, for ten minutes', async (_, create, pattern) => {
  const { token, identity } = await create();
  const { video, sub, name, exp, nbf } = decode(token);
  expect(video).toEqual({
    roomJoin: true,
    room: 'r1',
    hidden: true,
    canSubscribe: true,
    canPublish: false,
    canPublishData: false,
    canUpdateOwnMetadata: false,
  });
  expect([sub, name, exp - nbf]).toEqual([identity, undefined, 600]);
  expect(identity).toMatch(pattern);
});

test('a token opens its own room and no other, and administers none', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const [own, other] = [makeRoomName(), makeRoomName()];
  await rooms.createRoom(other);
  const { token, identity } = await userToken(server, { room: own, userId: 'u1', name: 'Ann' });
  await using joined = await joinRoom({ url: server.url, token });
  expect((await rooms.listParticipants(own)).map((one) => one.identity)).toEqual([identity]);
  expect(await rooms.listParticipants(other)).toEqual([]);
  const bearer = new RoomServiceClient(server.url, '', '', { token });
  for (const room of [own, other]) {
    await expect(bearer.listParticipants(room)).rejects.toMatchObject({ status: 401 });
    await expect(bearer.deleteRoom(room)).rejects.toMatchObject({ status: 401 });
  }
  await joined.leave();
});

test('a recorder is hidden from the people in the room, and cannot send into it', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const received: unknown[] = [];
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann', {
    onEvent: (event) => void received.push(...packetsIn([event])),
  });
  await using bob = await joinAsUser(server, room, 'Bob');
  await recorder.joined.say('I am here');
  await bob.say('first');
  await bob.say('second');
  await expect.poll(() => received).toHaveLength(2);
  expect(received).toMatchObject([{ data: 'first' }, { data: 'second' }]);
  const seen = ann.participants.map(({ identity }) => identity);
  expect(seen).toEqual([bob.identity]);
  const listed = await openRoomService(server).listParticipants(room);
  expect(listed.find(({ isHidden }) => isHidden)?.identity).toBe(recorder.joined.identity);
});

test('an agent is of kind agent to the other participants', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const agent = { room, role: 'echo-agent', agentId: 'a1' };
  const { token } = await agentToken(server, agent);
  await using joined = await joinRoom({ url: server.url, token });
  const participant = { identity: joined.identity, name: 'echo-agent', kind: 'agent' };
  await expect.poll(() => recorder.events).toMatchObject([{ participant }]);
  const listed = await openRoomService(server).listParticipants(room);
  expect(listed).toContainEqual(expect.objectContaining(participant));
});

const USER_ID = '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b';
const OTHER_ID = '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6c';

test('the identities that our tokens give are ours, whatever the ids and roles', async () => {
  const role = fc.constantFrom('echo-agent', 'light-agent', 'core-agent', 'conversational-ai');
  await fc.assert(
    fc.asyncProperty(fc.uuid(), fc.uuid(), role, async (userId, agentId, name) => {
      const user = await userToken(keys, { room: 'r1', userId, name: '' });
      const agent = agentIdentity({ role: name, agentId });
      const observer = await observerToken(keys, { room: 'r1', userId });
      const ours = [user, observer, { identity: agent }];
      expect(ours.map(isForeign)).toEqual([false, false, false]);
      expect(isIdentityOf(userId, user.identity)).toBe(true);
      expect(isIdentityOf(userId, observer.identity)).toBe(true);
      expect(isIdentityOf(userId, agent)).toBe(false);
      expect(isAgent({ kind: 'standard', identity: agent })).toBe(true);
      expect(isRecorder(user)).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test.each([`user-${USER_ID}-0f1e2d`, `user-${OTHER_ID}-ffffff`, 'agent-echo-agent-5a6b7c8d'])(
  '%s is an identity of ours',
  (identity) => {
    expect(isForeign({ identity })).toBe(false);
  },
);

test.each([
  '',
  'ann',
  `user-${USER_ID}`,
  `user-${USER_ID}-0f1e2`,
  `user-${USER_ID}-0f1e2d7`,
  `user-${USER_ID}-0F1E2D`,
  `user-${USER_ID}-0f1e2d\n`,
  ` user-${USER_ID}-0f1e2d`,
  'user-1-0f1e2d',
  'agent-by-hand',
  'agent-echo-agent-5a6b7c8',
  'agent-echo agent-5a6b7c8d',
  `recorder-${USER_ID}`,
])('"%s" is foreign: a participant with keys of its own, or a recorder', (identity) => {
  expect(isForeign({ identity })).toBe(true);
});

test('an identity tells for whom its token was made', async () => {
  const { identity } = await userToken(keys, { room: 'r1', userId: USER_ID, name: 'Ann' });
  expect(tokenOwner(identity)).toEqual({ userId: USER_ID });
  const role = 'light-agent';
  expect(tokenOwner(agentIdentity({ role, agentId: OTHER_ID }))).toEqual({ role });
  expect(tokenOwner('ann')).toBeUndefined();
});

test('the examples of the API name identities that our tokens have', () => {
  const { participantIdentity } = SessionToken.parse(examplesOf(SessionToken)[0]);
  const { deliveredTo } = SentMessage.parse(examplesOf(SentMessage)[0]);
  const { agents } = SessionState.parse(examplesOf(SessionState)[0]);
  const identities = [participantIdentity, ...agents.map(({ participant }) => participant)];
  identities.push(...(deliveredTo ?? []));
  expect(identities).toHaveLength(3);
  expect(identities.filter((identity) => isForeign({ identity }))).toEqual([]);
});

test('a participant belongs to the user whose id is in its identity, and to no other', () => {
  const identity = `user-${USER_ID}-0f1e2d`;
  expect(isIdentityOf(USER_ID, identity)).toBe(true);
  for (const userId of [OTHER_ID, USER_ID.slice(0, -1), '', USER_ID.toUpperCase()]) {
    expect([userId, isIdentityOf(userId, identity)]).toEqual([userId, false]);
  }
});

test('agents that were made together have different identities in one room', () => {
  const ids = ['019a9f3d-8e51-7075-bda2-5a6b7c8d9e0f', '019a9f3d-8e51-7075-bda2-5a6b7c8d9e10'];
  const identities = ids.map((agentId) => agentIdentity({ role: 'echo-agent', agentId }));
  expect(identities).toEqual(['agent-echo-agent-7c8d9e0f', 'agent-echo-agent-7c8d9e10']);
});

test('a token tells its room, its bearer and its end, and nothing of the server', async () => {
  const { token } = await userToken(keys, { room: 'r1', userId: USER_ID, name: 'Ann' });
  const claims: unknown = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  );
  expect(Object.keys(Object(claims)).toSorted()).toEqual(
    ['exp', 'iss', 'name', 'nbf', 'sub', 'video'].toSorted(),
  );
  expect(JSON.stringify(claims)).not.toContain(keys.apiSecret);
  expect(JSON.stringify(claims)).not.toContain(keys.url);
});

test.each(['Ann', 'Änn 👋', '<script>', '"', 'x'.repeat(200)])(
  'the name "%s" comes through unchanged, to the others in the room too',
  async (name) => {
    const server = testMedia();
    const room = makeRoomName();
    const { token, identity } = await userToken(server, { room, userId: USER_ID, name });
    expect(decode(token).name).toBe(name);
    await using joined = await joinRoom({ url: server.url, token });
    expect(joined.identity).toBe(identity);
    expect(await openRoomService(server).listParticipants(room)).toMatchObject([{ name }]);
  },
);

test.each<[string, (server: MediaServer, room: string) => Promise<RoomToken>]>([
  ['another secret', (server, room) => ofAnn({ ...server, apiSecret: 'wrong'.repeat(8) }, room)],
  ['an unknown key', (server, room) => ofAnn({ ...server, apiKey: 'unknown' }, room)],
  [
    'an end in the past',
    (server, room) =>
      agentToken(server, { room, role: 'r', agentId: USER_ID, lifetimeSeconds: -90 }),
  ],
])('media_unavailable for a token with %s, and the room stays empty', async (_, make) => {
  const server = testMedia();
  const room = makeRoomName();
  const { token } = await make(server, room);
  const failure: unknown = await joinRoom({ url: server.url, token }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'media_unavailable' });
  expect(isRefusedToken(failure)).toBe(true);
  expect(await openRoomService(server).listParticipants(room)).toEqual([]);
});

test('a token whose claims were changed is refused', async () => {
  const server = testMedia();
  const { token } = await ofAnn(server, makeRoomName());
  const [header, , signature] = token.split('.');
  const other = await recorderToken(server, { room: makeRoomName(), identity: 'recorder-1' });
  const forged = [header, other.token.split('.')[1], signature].join('.');
  await expect(joinRoom({ url: server.url, token: forged })).rejects.toMatchObject({
    code: 'media_unavailable',
  });
});

async function ofAnn(server: MediaServer, room: string): Promise<RoomToken> {
  return await userToken(server, { room, userId: USER_ID, name: 'Ann' });
}

interface Claims {
  readonly video: unknown;
  readonly sub: string;
  readonly exp: number;
  readonly nbf: number;
  readonly name?: string;
  readonly kind?: string;
}

function decode(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
