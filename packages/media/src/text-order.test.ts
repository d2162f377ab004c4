import { CHAT_TOPIC, type TextStreamEvent } from '@session/contract/room';
import { testMedia } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { joinAsUser, makeRoomName } from '../testing/rooms.ts';
import { TextOrder } from './text-order.ts';

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

test('a text waits for those of its source that began before it, and no other does', async () => {
  const { reported, begin } = openOrder(60_000);
  const [first, second, third, other] = [begin('a'), begin('a'), begin('a'), begin('b')];
  for (const one of [third, second, other]) one.end();
  await other.added;
  expect(reported).toEqual(['b 3']);
  first.end();
  await third.added;
  expect(reported).toEqual(['b 3', 'a 0', 'a 1', 'a 2']);
});

test('one that goes on keeps the others waiting for a while only, and these in their order', async () => {
  const { reported, begin } = openOrder(1);
  const [long, second, third] = [begin('a'), begin('a'), begin('a')];
  third.end();
  second.end();
  await Promise.all([second.added, third.added]);
  long.end();
  await long.added;
  expect(reported).toEqual(['a 1', 'a 2', 'a 0']);
});

test('one that cannot be read keeps nobody waiting', async () => {
  const { reported, begin } = openOrder(60_000);
  const [broken, second] = [begin('a'), begin('a')];
  second.end();
  broken.fail(new Error('unreadable'));
  await expect(broken.added).rejects.toThrow('unreadable');
  await second.added;
  expect(reported).toEqual(['a 1']);
});

function openOrder(patienceMs: number) {
  const reported: string[] = [];
  const order = new TextOrder(({ text }) => reported.push(text), patienceMs);
  let count = 0;
  const begin = (source: string) => {
    const event: TextStreamEvent = {
      type: 'text_stream',
      topic: CHAT_TOPIC,
      streamId: 's',
      attributes: {},
      text: `${source} ${count}`,
      hasEnded: true,
      sentAt: 0,
      sender: { identity: source, name: '', sid: null, kind: 'standard' },
      receivedAt: 0,
    };
    count += 1;
    const { promise, resolve, reject } = Promise.withResolvers<TextStreamEvent>();
    return { end: () => resolve(event), fail: reject, added: order.add(source, promise) };
  };
  return { reported, begin };
}
