import type { RoomEvent } from '@session/contract/room';
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
