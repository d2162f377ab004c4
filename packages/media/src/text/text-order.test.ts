import { CHAT_TOPIC, type TextStreamEvent } from '@session/contract/room';
import { testMedia } from '@session/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { TextOrder } from './text-order.ts';

test('texts of one sender arrive in order, also at a process that was held up meanwhile', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const received: string[] = [];
  await using listener = await joinAsUser(server, room, 'Listener', {
    onEvent: (event) => {
      if (event.type === 'text_stream') received.push(event.text);
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
  await expect.poll(() => received).toHaveLength(said.length);
  expect(received).toEqual(said);
});

test('a text waits for the earlier texts of its source, and for no text of another source', async () => {
  const { reported, begin } = openOrder(60_000);
  const [first, second, third, other] = [begin('a'), begin('a'), begin('a'), begin('b')];
  for (const one of [third, second, other]) one.end();
  await other.added;
  expect(reported).toEqual(['b 3']);
  first.end();
  await third.added;
  expect(reported).toEqual(['b 3', 'a 0', 'a 1', 'a 2']);
});

test('a text that goes on holds back later texts for a short time only, and they keep their order', async () => {
  const { reported, begin } = openOrder(1);
  const [long, second, third] = [begin('a'), begin('a'), begin('a')];
  third.end();
  second.end();
  await Promise.all([second.added, third.added]);
  long.end();
  await long.added;
  expect(reported).toEqual(['a 1', 'a 2', 'a 0']);
});

test('every text is reported once, and in the order of its source, however the texts end', async () => {
  const begins = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(begins, fc.infiniteStream(fc.nat()), async (sources, dice) => {
      const { reported, begin } = openOrder(60_000);
      const open = sources.map((source) => ({ source, ...begin(source) }));
      const added = open.map((text) => text.added);
      while (open.length > 0) {
        const [index = 0] = dice.take(1);
        for (const text of open.splice(index % open.length, 1)) text.end();
      }
      await Promise.all(added);
      const begun = sources.map((source, index) => `${source} ${index}`);
      expect(reported.toSorted()).toEqual(begun.toSorted());
      for (const source of new Set(sources)) {
        const isOfSource = (text: string) => text.startsWith(source);
        expect(reported.filter(isOfSource)).toEqual(begun.filter(isOfSource));
      }
    }),
  );
});

test('broken texts among the others keep none of them back, and are not reported', async () => {
  const endings = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(endings, async (areRead) => {
      const { reported, begin } = openOrder(60_000);
      const texts = areRead.map((isRead) => ({ isRead, ...begin('a') }));
      const settled = Promise.allSettled(texts.map(({ added }) => added));
      for (const { isRead, end, fail } of texts.toReversed()) {
        if (isRead) end();
        else fail(new Error('unreadable'));
      }
      const statuses = (await settled).map(({ status }) => status === 'fulfilled');
      expect(statuses).toEqual(areRead);
      const read = areRead.flatMap((isRead, index) => (isRead ? [`a ${index}`] : []));
      expect(reported).toEqual(read);
    }),
  );
});

function openOrder(waitMs: number) {
  const reported: string[] = [];
  const order = new TextOrder(({ text }) => reported.push(text), waitMs);
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
