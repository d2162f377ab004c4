import { inspect } from 'node:util';
import { startMediaServer, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '../testing/rooms.ts';
import { openRoomService } from './room-service.ts';

test('a room is made once and removed once; what is missing is no failure', async () => {
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

test('who is in a room is listed at once, and can be sent out', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  const joined = { kind: 'standard', state: 'active', isHidden: false, isAnnounced: true };
  expect(await rooms.listParticipants(room)).toMatchObject([
    { identity: ann.identity, name: 'Ann', ...joined },
  ]);
  await rooms.removeParticipant(room, ann.identity);
  expect(await ann.closed).toBe('PARTICIPANT_REMOVED');
  expect(await rooms.listParticipants(room)).toEqual([]);
});

test('a packet can be sent to a room that is not there yet, and reaches who is there', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await rooms.sendPacket(room, { type: 'user_text', data: 'too early' });
  await using recorder = await joinAsRecorder(server, room);
  // A moment after the join it has all that it needs to receive.
  await expect.poll(() => rooms.listParticipants(room)).toMatchObject([{ state: 'active' }]);
  await rooms.sendPacket(room, { type: 'user_text', data: 'hello', id: '1' });
  await expect.poll(() => recorder.events).toMatchObject([{ type: 'packet', sender: null }]);
  expect(packetsIn(recorder.events)).toEqual([{ type: 'user_text', data: 'hello', id: '1' }]);
  await rooms.deleteRoom(room);
});

test('media_unavailable, and no token in it, when the server refuses, is frozen or is gone', {
  // The SDK's own time-out is 10 s.
  timeout: 8000,
}, async () => {
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
  await fail(rooms.listParticipants('r1'));
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
