import { Room } from '@livekit/rtc-node';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsForeigner, joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { releaseRoom } from '../room/release-room.ts';
import { roomOptions } from '../room/room-options.ts';
import { recorderToken } from '../server/tokens.ts';
import { watchHeaders } from './text-header.ts';

test('a text is reported when it begins, though the SDK opens none that nobody reads; of other topics and rooms, none', async () => {
  quietSdk();
  const server = testMedia();
  const [name, otherName] = [makeRoomName(), makeRoomName()];
  const { token } = await recorderToken(server, { room: name, identity: 'recorder-1' });
  const room = new Room();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => releaseRoom(room));
  const begun: object[] = [];
  watchHeaders(room, ['lk.chat'], (text) => begun.push(text));
  await room.connect(server.url, token, roomOptions());
  await using ann = await joinAsUser(server, name, 'Ann');
  await using ben = await joinAsUser(server, otherName, 'Ben');
  await using _ = await joinAsUser(server, otherName, 'Cleo');
  await using dora = await joinAsForeigner(server, name, 'Dora');
  await ben.sendText('lk.chat', 'in another room');
  await ann.sendText('my.topic', 'on another topic');
  const bytes = await dora.self.streamBytes({ name: 'a file', topic: 'lk.chat' });
  await bytes.close();
  const text = await ann.openText('lk.chat');
  await expect
    .poll(() => begun.at(-1))
    .toEqual({ identity: ann.identity, streamId: text.streamId });
  expect(begun).toHaveLength(1);
  await text.end();
});

test('without the SDK’s events it says so', () => {
  const room = new Room();
  Reflect.deleteProperty(room, 'processFfiEvent');
  expect(() => watchHeaders(room, ['lk.chat'], () => {})).toThrow('hides the events');
});
