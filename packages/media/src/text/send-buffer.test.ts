import { Room } from '@livekit/rtc-node';
import { speech, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { makeRoomName } from '../../testing/rooms.ts';
import { VoiceUser } from '../../testing/voice-user.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { releaseRoom } from '../room/release-room.ts';
import { roomOptions } from '../room/room-options.ts';
import { userToken } from '../server/tokens.ts';
import { VoiceTrack } from '../voice/voice-track.ts';
import { bufferedBytes } from './send-buffer.ts';

test('sound that was sent does not hide data that is still buffered', async () => {
  quietSdk();
  const [media, room] = [testMedia(), makeRoomName()];
  await using ann = await VoiceUser.join(media, room, 'Ann');
  const { token, identity } = await userToken(media, { room, userId: 'bob', name: 'Bob' });
  const bob = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(bob));
  await bob.connect(media.url, token, roomOptions());
  if (!bob.localParticipant) throw new Error('not connected');
  const track = await VoiceTrack.publish(bob, bob.localParticipant, 24_000);
  await ann.hear(identity);
  await track.write(speech(1500).samples);
  await track.untilPlayed();
  // Without sound the difference is what the connection itself needs: about 1.5 kB. The sound has 10 to 20 kB.
  expect(await bufferedBytes(bob)).toBeGreaterThan(-5000n);
  await track.close();
});
