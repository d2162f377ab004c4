import type { RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect } from 'vitest';

/** Sends a text in a room as a person, and returns the answer. */
export async function ask(room: string, text: string): Promise<string | undefined> {
  const answers: string[] = [];
  const { url } = testMedia();
  const { token } = await userToken(testMedia(), { room, userId: 'ana', name: 'Ana' });
  const onEvent = (event: RoomEvent) =>
    void (event.type === 'text_stream' && answers.push(event.text));
  await using joined = await joinRoom({ url, token, onEvent });
  await joined.say(text);
  await expect.poll(() => answers).toHaveLength(1);
  return answers[0];
}
