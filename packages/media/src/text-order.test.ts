import { CHAT_TOPIC } from '@session/contract/room';
import { testMedia } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { joinAsUser, makeRoomName } from './test-rooms.ts';

test('texts of one sender come in their order, also to one who was held up meanwhile', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const heard: string[] = [];
  await using listener = await joinAsUser(server, room, 'Listener', {
    onEvent: (event) => {
      if (event.type === 'text_stream') heard.push(event.text);
    },
  });
  await using speaker = await joinAsUser(server, room, 'Speaker');
  expect(listener.identity).not.toBe(speaker.identity);
  const said = Array.from({ length: 300 }, (_, index) => `text ${index}`);
  for (const [index, text] of said.entries()) {
    await speaker.sendText(CHAT_TOPIC, text);
    if (index % 20 !== 0) continue;
    const until = performance.now() + 50;
    while (performance.now() < until);
  }
  await vi.waitFor(() => expect(heard).toHaveLength(said.length), 20_000);
  expect(heard).toEqual(said);
});
