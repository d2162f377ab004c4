import type { RoomEvent } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test, vi } from 'vitest';
import { EventOrder } from './event-order.ts';

const PACKET: RoomEvent = {
  type: 'packet',
  payload: new Uint8Array(),
  sender: null,
  receivedAt: 1,
};
const LEFT: RoomEvent = {
  type: 'participant_left',
  participant: { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' },
  joinedAt: 1,
  reason: 'CLIENT_INITIATED',
  receivedAt: 2,
};

test.each([true, false])(
  'an event waits 100 ms for a text that does not end (opened: %s), and not a millisecond longer',
  async (isOpened) => {
    startVirtualTime();
    const passed: number[] = [];
    const order = new EventOrder({ push: ({ receivedAt }) => void passed.push(receivedAt) });
    order.begin('text', isOpened);
    await passTime(60);
    order.push(PACKET);
    await passTime(99);
    expect(passed).toEqual([]);
    await passTime(1);
    expect(passed).toEqual([1]);
    // No event waits any more, so no timer runs.
    expect(vi.getTimerCount()).toBe(0);
  },
);

test('events wait for the end of a delay', async () => {
  const passed: number[] = [];
  const order = new EventOrder({ push: ({ receivedAt }) => void passed.push(receivedAt) });
  const over = Promise.withResolvers<void>();
  const delay = order.delay(1, over.promise);
  order.push({ ...PACKET, receivedAt: 2 });
  expect(passed).toEqual([]);
  over.resolve();
  await delay;
  expect([passed, order.oldestAt]).toEqual([[2], Infinity]);
});

test('the oldest words stand behind delays, joins and leaves, which are no words', () => {
  const order = new EventOrder({ push: () => {} });
  void order.delay(1, new Promise(() => {}));
  order.push(LEFT);
  expect([order.oldestAt, order.oldestWordsAt]).toEqual([1, Infinity]);
  void order.hold(4, new Promise(() => {}));
  expect(order.oldestWordsAt).toBe(4);
  order.push({ ...PACKET, receivedAt: 3 });
  expect(order.oldestWordsAt).toBe(3);
});
