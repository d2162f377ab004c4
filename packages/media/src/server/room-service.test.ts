import { inspect } from 'node:util';
import { withDeadline } from '@session/kit';
import { startMediaServer, testMedia } from '@session/testing';
import { serve } from '@session/testing/serve';
import { expect, test } from 'vitest';
import {
  joinAsForeigner,
  joinAsRecorder,
  joinAsUser,
  makeRoomName,
  packetsIn,
} from '../../testing/rooms.ts';
import { joinRoom } from '../room/join-room.ts';
import { openRoomService } from './room-service.ts';
import { agentToken } from './tokens.ts';

test('a room is created once and deleted once; a missing room or participant is no failure', async () => {
  const rooms = openRoomService(testMedia());
  const room = makeRoomName();
  expect(await rooms.listParticipants(room)).toEqual([]);
  await rooms.removeParticipant(room, 'nobody');
  await rooms.createRoom(room);
  await rooms.createRoom(room);
  expect((await rooms.listRooms()).filter((name) => name === room)).toHaveLength(1);
  await rooms.removeParticipant(room, 'nobody');
  await rooms.deleteRoom(room);
  await rooms.deleteRoom(room);
  expect(await rooms.listRooms()).not.toContain(room);
});

test('a participant is listed at once, and can be removed', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  const joined = { kind: 'standard', isHidden: false, isAnnounced: true };
  expect(await rooms.listParticipants(room)).toMatchObject([
    { identity: ann.identity, name: 'Ann', ...joined },
  ]);
  // Once the server's end of the connection is ready, which may be later than ours.
  await expect.poll(() => rooms.listParticipants(room)).toMatchObject([{ state: 'active' }]);
  await rooms.removeParticipant(room, ann.identity);
  expect(await ann.closed).toBe('PARTICIPANT_REMOVED');
  await expect.poll(() => rooms.listParticipants(room)).toEqual([]);
});

test('a participant is announced before one who joined earlier, and from then on its packets have its name', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const isAnnouncedFirst = async () => {
    const room = makeRoomName();
    await using recorder = await joinAsRecorder(server, room);
    await using ann = await joinAsForeigner(server, room, 'Ann');
    await using ben = await joinAsForeigner(server, room, 'Ben');
    const joined = () =>
      recorder.events.flatMap((event) =>
        event.type === 'participant_joined' ? event.participant.identity : [],
      );
    await rooms.announceParticipant(room, ben.self.identity);
    await expect.poll(joined).toContain(ben.self.identity);
    await ben.self.publishData(Buffer.from('{}'), { reliable: true });
    const packet = () => recorder.events.find(({ type }) => type === 'packet');
    await expect.poll(packet).toMatchObject({ sender: { identity: ben.self.identity } });
    expect(ben.self.attributes).toEqual({});
    return !joined().includes(ann.self.identity);
  };
  // Without a request, the server announces both participants together, at most 3 s later and perhaps at once.
  await expect.poll(isAnnouncedFirst).toBe(true);
});

test('a participant is announced twice, one request after the other: the server may drop the first announcement', async () => {
  const asked: string[] = [];
  let running = 0;
  await using server = await serve((request, response) => {
    running += 1;
    asked.push(`${running}: ${request.url}`);
    setImmediate(() => {
      running -= 1;
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  const rooms = openRoomService({ ...testMedia(), url: server.url });
  await rooms.announceParticipant('room', 'ben');
  const update = '1: /twirp/livekit.RoomService/UpdateParticipant';
  expect(asked).toEqual([update, update]);
});

test('announcing a participant who is not in the room fails, and creates no room', async () => {
  const rooms = openRoomService(testMedia());
  const room = makeRoomName();
  const unavailable = { code: 'media_unavailable' };
  await expect(rooms.announceParticipant(room, 'nobody')).rejects.toMatchObject(unavailable);
  expect(await rooms.findRooms([room])).toEqual(new Map());
});

test('a packet can be sent to a room that does not exist yet, and reaches its participants', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await rooms.sendPacket(room, { type: 'user_text', data: 'too early' });
  await using recorder = await joinAsRecorder(server, room);
  const packet = { type: 'user_text', data: 'hello', id: '1' };
  const hello = { ...packet, signedAt: expect.any(Number), signature: expect.any(String) };
  // Sent again until it arrives: a fresh connection may miss packets for a moment.
  const sendHello = async () => {
    await rooms.sendPacket(room, packet);
    return packetsIn(recorder.events);
  };
  await expect.poll(sendHello).toContainEqual(hello);
  for (const event of recorder.events) expect(event).toMatchObject({ sender: null });
  expect(packetsIn(recorder.events)).toEqual(recorder.events.map(() => hello));
  await rooms.deleteRoom(room);
});

test('a packet to one participant reaches no other', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await using first = await joinAsRecorder(server, room);
  await using second = await joinAsRecorder(server, room);
  // Sent again until it arrives: a fresh connection may miss packets for a moment.
  const sendToFirst = async () => {
    await rooms.sendPacketTo(room, first.joined.identity, { to: 'first' });
    return packetsIn(first.events);
  };
  const signed = { signedAt: expect.any(Number), signature: expect.any(String) };
  await expect.poll(sendToFirst).toContainEqual({ to: 'first', ...signed });
  const sendToAll = async () => {
    await rooms.sendPacket(room, { to: 'all' });
    return [first, second].map(({ events }) => packetsIn(events).at(-1));
  };
  await expect.poll(sendToAll).toEqual([
    { to: 'all', ...signed },
    { to: 'all', ...signed },
  ]);
  expect(packetsIn(second.events)).not.toContainEqual({ to: 'first', ...signed });
});

test('media_unavailable for a packet to one participant of a room that does not exist', async () => {
  const rooms = openRoomService(testMedia(), { timeoutMs: 10_000 });
  const room = makeRoomName();
  await expect(rooms.sendPacketTo(room, 'ann', {})).rejects.toMatchObject({
    code: 'media_unavailable',
    message: expect.stringContaining(`cannot send to ann in ${room}: `),
  });
  expect(await rooms.listRooms()).not.toContain(room);
});

test('the participants of the rooms that exist are counted, with those of no other room', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const [full, empty, other] = [makeRoomName(), makeRoomName(), makeRoomName()];
  await rooms.createRoom(empty);
  await using joined = new AsyncDisposableStack();
  for (const room of [full, full, other]) joined.use(await joinAsUser(server, room, room));
  const count = async () => {
    const found = await rooms.findRooms([full, empty, makeRoomName()]);
    return new Map(Array.from(found, ([name, { participantCount }]) => [name, participantCount]));
  };
  await expect.poll(count).toEqual(
    new Map([
      [full, 2],
      [empty, 0],
    ]),
  );
});

test('a recorder is listed as hidden, an agent by its kind, each with the time of its join', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const ids = { room, role: 'echo-agent', agentId: '019a9f3d-8e51-7075-bda2-5a6b7c8d9e0f' };
  const { token, identity } = await agentToken(server, { ...ids, lifetimeSeconds: 60 });
  await using agent = await joinRoom({ url: server.url, token });
  const listed = await rooms.listParticipants(room);
  const find = (name: string) => listed.find((participant) => participant.identity === name);
  expect(find(recorder.joined.identity)).toMatchObject({ isHidden: true, kind: 'standard' });
  expect(find(agent.identity)).toMatchObject({
    identity,
    name: 'echo-agent',
    kind: 'agent',
    isHidden: false,
    sid: expect.stringMatching(/^PA_/),
  });
  for (const { joinedAt } of listed) expect(joinedAt).toBeGreaterThan(1_700_000_000_000);
});

test('a room name with characters of its own names one room, and no other', async () => {
  const rooms = openRoomService(testMedia());
  const room = `${makeRoomName()}/ä 👋?#`;
  await rooms.createRoom(room);
  expect(await rooms.listRooms()).toContain(room);
  expect(await rooms.listParticipants(room)).toEqual([]);
  await rooms.deleteRoom(room);
  expect(await rooms.listRooms()).not.toContain(room);
});

test('deleting a room removes all its participants, with the reason', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  await using bob = await joinAsUser(server, room, 'Bob');
  await openRoomService(server).deleteRoom(room);
  expect(await Promise.all([ann.closed, bob.closed])).toEqual(['ROOM_DELETED', 'ROOM_DELETED']);
});

test('media_unavailable, and no token in it, when the server refuses, is frozen or is gone', async () => {
  await using server = await startMediaServer();
  const { url, apiKey } = server;
  const stranger = openRoomService({ url, apiKey, apiSecret: 'wrong'.repeat(8) });
  const rooms = openRoomService(server, { timeoutMs: 101 });
  const failures: unknown[] = [];
  const fail = async (work: Promise<unknown>) => {
    failures.push(await work.catch((error: unknown) => error));
  };
  await fail(stranger.listRooms());
  await fail(stranger.sendPacket('r1', {}));
  process.kill(server.pid, 'SIGSTOP');
  const isFrozen = () =>
    rooms.listRooms().then(
      () => false,
      () => true,
    );
  await expect.poll(isFrozen).toBe(true);
  // The SDK's own time-out is 10 s.
  await withDeadline(fail(rooms.listParticipants('r1')), 9000);
  await server.kill();
  await fail(rooms.createRoom('r1'));
  await fail(rooms.deleteRoom('r1'));
  await fail(rooms.removeParticipant('r1', 'ann'));
  expect(failures).toHaveLength(6);
  for (const failure of failures) {
    expect(failure).toMatchObject({ name: 'AppError', code: 'media_unavailable' });
    expect(inspect(failure)).not.toMatch(/eyJ\w/);
  }
  expect(String(failures[2])).toContain('cannot list participants of r1: ');
  expect(String(failures[3])).toContain('ECONNREFUSED');
});
