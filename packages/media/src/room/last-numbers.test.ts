import { Room } from '@livekit/rtc-node';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { quietSdk } from '../quiet-sdk.ts';
import { recorderToken } from '../server/tokens.ts';
import { SentMessages } from '../text/sent-messages.ts';
import { watchLastNumbers } from './last-numbers.ts';
import { releaseRoom } from './release-room.ts';
import { roomOptions } from './room-options.ts';

/** Watches a room over a connection of its own. Returns who said which number, in order. */
async function watch(room: string) {
  quietSdk();
  const server = testMedia();
  const identity = `recorder-${crypto.randomUUID()}`;
  const { token } = await recorderToken(server, { room, identity });
  const sdkRoom = new Room();
  const said: string[] = [];
  const reportAll = watchLastNumbers(
    sdkRoom,
    (sender, { n }) => said.push(`${sender.split('-')[1]} ${n}`),
    (error) => {
      throw error;
    },
  );
  await sdkRoom.connect(server.url, token, roomOptions());
  reportAll();
  return { said, [Symbol.asyncDispose]: () => releaseRoom(sdkRoom) };
}

test('a sender says its last number when it is silent and when it leaves, also to those who come later', async () => {
  const room = makeRoomName();
  await using present = await watch(room);
  const ann = await joinAsUser(testMedia(), room, 'Ann', { sent: new SentMessages(() => true) });
  for (const word of ['one', 'two']) await ann.say(word);
  await expect.poll(() => present.said.at(-1)).toBe('ann 2');
  await using later = await watch(room);
  await expect.poll(() => later.said.at(-1)).toBe('ann 2');
  await ann.sendText('lk.chat', 'three');
  await ann.leave();
  for (const { said } of [present, later]) await expect.poll(() => said.at(-1)).toBe('ann 3');
});

test('a second stay of a program says the last number of the first one', async () => {
  const room = makeRoomName();
  const sent = new SentMessages(() => true);
  const first = await joinAsUser(testMedia(), room, 'Ann', { sent });
  await first.say('one');
  await first.leave();
  await using present = await watch(room);
  await using _ = await joinAsUser(testMedia(), room, 'Ann', { sent });
  await expect.poll(() => present.said.at(-1)).toBe('ann 1');
});
