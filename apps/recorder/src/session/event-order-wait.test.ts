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
