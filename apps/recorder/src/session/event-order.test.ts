import type { RoomEvent } from '@session/contract/room';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventOrder } from './event-order.ts';

function packet(receivedAt: number): RoomEvent {
  return { type: 'packet', payload: new Uint8Array(), sender: null, receivedAt };
}

test('an event behind one that waits is passed on after it, and no other event waits', async () => {
  const delivered: number[] = [];
  const order = new EventOrder({ push: ({ receivedAt }) => delivered.push(receivedAt) });
  order.push(packet(1));
  expect(delivered).toEqual([1]);
  const first = Promise.withResolvers<RoomEvent[]>();
  const second = Promise.withResolvers<RoomEvent[]>();
  const held = [order.hold(3, first.promise), order.hold(5, second.promise)];
  order.push(packet(6));
  second.resolve([packet(5)]);
  await held[1];
  expect(delivered).toEqual([1]);
  expect(order.oldestAt).toBe(3);
  first.resolve([packet(2), packet(3)]);
  await held[0];
  expect(delivered).toEqual([1, 2, 3, 5, 6]);
  expect(order.oldestAt).toBeUndefined();
});

test('whatever is looked up and in whichever order it is found, events leave in the order of arrival', async () => {
  const lookups = fc.array(
    fc.record({ isHeld: fc.boolean(), events: fc.nat(3), rank: fc.nat(99) }),
    {
      maxLength: 15,
    },
  );
  await fc.assert(
    fc.asyncProperty(lookups, async (arrivals) => {
      const delivered: number[] = [];
      const order = new EventOrder({ push: ({ receivedAt }) => delivered.push(receivedAt) });
      const expected: number[] = [];
      const pending: { rank: number; find: () => void; held: Promise<void> }[] = [];
      for (const [index, { isHeld, events, rank }] of arrivals.entries()) {
        const at = index * 10;
        const found = Array.from({ length: isHeld ? events : 1 }, (_, part) => at + part);
        expected.push(...found);
        if (!isHeld) order.push(packet(at));
        else {
          const { promise, resolve } = Promise.withResolvers<RoomEvent[]>();
          const held = order.hold(at, promise);
          pending.push({ rank, held, find: () => resolve(found.map(packet)) });
        }
      }
      for (const { find, held } of pending.toSorted((left, right) => left.rank - right.rank)) {
        expect(delivered).toEqual(expected.slice(0, delivered.length));
        find();
        await held;
      }
      expect(delivered).toEqual(expected);
      expect(order.oldestAt).toBeUndefined();
    }),
  );
});
