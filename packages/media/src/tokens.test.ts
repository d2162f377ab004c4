import { testMedia } from '@session/testing';
import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '../testing/rooms.ts';
import { joinRoom } from './join-room.ts';
import { openRoomService } from './room-service.ts';
import { agentToken, recorderToken, userToken } from './tokens.ts';

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

test('a user’s token lets one name speak in one room, for ten minutes', async () => {
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

test('an agent’s token says that it is one, and lasts as long as the agent may', async () => {
  const agent = {
    room: 'r1',
    role: 'echo-agent',
    agentId: '01a1fd50-b185-739e',
    lifetimeSeconds: 90,
  };
  const { video, sub, kind, exp, nbf } = decode((await agentToken(keys, agent)).token);
  expect(video).toEqual(speaking);
  expect([sub, kind, exp - nbf]).toEqual(['agent-echo-agent-185-739e', 'agent', 90]);
});

test('a recorder’s token is for listening alone', async () => {
  const { token } = await recorderToken(keys, { room: 'r1', identity: 'recorder-1' });
  expect(decode(token).video).toEqual({
    roomJoin: true,
    room: 'r1',
    hidden: true,
    canSubscribe: true,
    canPublish: false,
    canPublishData: false,
    canUpdateOwnMetadata: false,
  });
});

test('a token opens its own room and no other, and rules none', async () => {
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

test('a recorder is unseen by the people in the room, and cannot send into it', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const heard: unknown[] = [];
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann', {
    onEvent: (event) => void heard.push(...packetsIn([event])),
  });
  await using bob = await joinAsUser(server, room, 'Bob');
  await recorder.joined.say('I am here');
  await bob.say('first');
  await bob.say('second');
  await expect.poll(() => heard).toHaveLength(2);
  expect(heard).toMatchObject([{ data: 'first' }, { data: 'second' }]);
  const seen = ann.participants.map(({ identity }) => identity);
  expect(seen).toEqual([bob.identity]);
  const listed = await openRoomService(server).listParticipants(room);
  expect(listed.find(({ isHidden }) => isHidden)?.identity).toBe(recorder.joined.identity);
});

test('an agent is known as one to the others', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const agent = { room, role: 'echo-agent', agentId: 'a1', lifetimeSeconds: 60 };
  const { token } = await agentToken(server, agent);
  await using joined = await joinRoom({ url: server.url, token });
  const participant = { identity: joined.identity, name: 'echo-agent', kind: 'agent' };
  await expect.poll(() => recorder.events).toMatchObject([{ participant }]);
  const listed = await openRoomService(server).listParticipants(room);
  expect(listed).toContainEqual(expect.objectContaining(participant));
});

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
