import { once } from 'node:events';
import { Room, RoomEvent } from '@livekit/rtc-node';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { recorderToken } from '../server/tokens.ts';
import { releaseRoom } from './release-room.ts';
import { listenerOptions } from './room-options.ts';

test('a listener receives packets over a connection that only receives', async () => {
  const media = testMedia();
  const name = makeRoomName();
  const { token } = await recorderToken(media, { room: name, identity: 'recorder-1' });
  quietSdk();
  const room = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(room));
  await room.connect(media.url, token, listenerOptions());
  const received = once(room, RoomEvent.DataReceived);
  const ana = stack.use(await joinAsUser(media, name, 'Ana'));
  await ana.say('hello');
  await received;
  const { publisherStats, subscriberStats } = await room.getRtcStats();
  const connections = [publisherStats, subscriberStats].map(
    (stats) => stats.filter((entry) => entry.stats.case === 'transport').length,
  );
  expect(connections).toEqual([0, 1]);
});
