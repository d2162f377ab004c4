import type { RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { Arrivals } from './event-order.ts';

function packet(receivedAt: number): RoomEvent {
  return { type: 'packet', payload: new Uint8Array(), sender: null, receivedAt };
}

test('what came after an event that waits is delivered after it, and nothing waits for nothing', async () => {
  const delivered: number[] = [];
  const arrivals = new Arrivals(({ receivedAt }) => delivered.push(receivedAt));
  arrivals.push(packet(1));
  expect(delivered).toEqual([1]);
  const first = Promise.withResolvers<RoomEvent[]>();
  const second = Promise.withResolvers<RoomEvent[]>();
  const held = [arrivals.hold(3, first.promise), arrivals.hold(5, second.promise)];
  arrivals.push(packet(6));
  second.resolve([packet(5)]);
  await held[1];
  expect(delivered).toEqual([1]);
  expect(arrivals.oldestAt).toBe(3);
  first.resolve([packet(2), packet(3)]);
  await held[0];
  expect(delivered).toEqual([1, 2, 3, 5, 6]);
  expect(arrivals.oldestAt).toBeUndefined();
});
