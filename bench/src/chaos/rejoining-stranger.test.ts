import { randomUUID } from 'node:crypto';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { RejoiningStranger } from './rejoining-stranger.ts';

test('the first chat message of a stranger whom no recorder announces reaches those who joined before it', async () => {
  const media = testMedia();
  const room = randomUUID();
  const tokenOf = async (name: string) =>
    (await userToken(media, { room, userId: name, name })).token;
  const received: string[] = [];
  await using witness = await joinRoom({
    url: media.url,
    token: await tokenOf('witness'),
    onEvent: (event) => {
      if (event.type === 'chat_message') received.push(event.text);
    },
  });
  await using stranger = new RejoiningStranger(media.url, () => tokenOf('stranger'));
  await expect.poll(() => stranger.announced !== undefined).toBe(true);
  await stranger.announced?.sendChatMessage('hello');
  await expect.poll(() => received).toEqual(['hello']);
  expect(witness.participants).toHaveLength(1);
});
