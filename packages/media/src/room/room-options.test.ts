import { once } from 'node:events';
import { Room, RoomEvent } from '@livekit/rtc-node';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { recorderToken, userToken } from '../server/tokens.ts';
import { releaseRoom } from './release-room.ts';
import { roomOptions } from './room-options.ts';

test('a listener receives packets over a connection that only receives', async () => {
  const media = testMedia();
  const name = makeRoomName();
  const { token } = await recorderToken(media, { room: name, identity: 'recorder-1' });
  quietSdk();
  const room = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(room));
  await room.connect(media.url, token, roomOptions());
  const received = once(room, RoomEvent.DataReceived);
  const ana = stack.use(await joinAsUser(media, name, 'Ana'));
  await ana.say('hello');
  await received;
  expect(await connectionsOf(room)).toEqual([0, 1]);
});

test('who sends and listens has a connection for each direction', async () => {
  const media = testMedia();
  const { token } = await userToken(media, { room: makeRoomName(), userId: 'ana', name: 'Ana' });
  quietSdk();
  const room = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(room));
  await room.connect(media.url, token, roomOptions());
  await room.localParticipant?.publishData(new Uint8Array(1), { reliable: true });
  expect(await connectionsOf(room)).toEqual([1, 1]);
});

/** Returns how many connections the room has to send, and to receive. */
async function connectionsOf(room: Room): Promise<number[]> {
  const { publisherStats, subscriberStats } = await room.getRtcStats();
  return [publisherStats, subscriberStats].map(
    (stats) => stats.filter((entry) => entry.stats.case === 'transport').length,
  );
}
