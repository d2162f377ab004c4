import { Room } from '@livekit/rtc-node';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { makeRoomName } from '../testing/rooms.ts';
import { quietSdk } from './quiet-sdk.ts';
import { releaseRoom } from './room/release-room.ts';
import { roomOptions } from './room/room-options.ts';
import { recorderToken } from './server/tokens.ts';
import { transportId } from './transport-id.ts';

async function connect(name: string, identity: string) {
  quietSdk();
  const server = testMedia();
  const { token } = await recorderToken(server, { room: name, identity });
  const room = new Room();
  await room.connect(server.url, token, roomOptions());
  return { room, [Symbol.asyncDispose]: () => releaseRoom(room) };
}

test('a transport keeps its id, and every connection has another', async () => {
  const name = makeRoomName();
  await using first = await connect(name, 'recorder-1');
  await using second = await connect(name, 'recorder-2');
  await expect.poll(() => transportId(first.room)).toBeDefined();
  await expect.poll(() => transportId(second.room)).toBeDefined();
  const id = await transportId(first.room);
  expect(await transportId(first.room)).toBe(id);
  expect(await transportId(second.room)).not.toBe(id);
});

test('a room that is not connected has no transport to ask for', async () => {
  await expect(transportId(new Room())).rejects.toThrow(/connect/i);
});

test('releasing a room twice, or one that was never connected, is harmless', async () => {
  const { room } = await connect(makeRoomName(), 'recorder-1');
  await releaseRoom(room);
  await releaseRoom(room);
  expect(room.isConnected).toBe(false);
  await releaseRoom(new Room());
});
