import { afterEach, expect, test, vi } from 'vitest';
import { makeConversation } from '../../testing/conversations.ts';
import { Listeners } from './listeners.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Collects what microtasks throw, which would end the run. */
function collectUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const { queueMicrotask: queue } = globalThis;
  vi.stubGlobal('queueMicrotask', (work: () => void) => {
    queue(() => {
      try {
        work();
      } catch (error) {
        uncaught.push(error);
      }
    });
  });
  return uncaught;
}

const fault = new Error('a fault of the page');
const failing = () => {
  throw fault;
};

test('a listener that throws keeps no other from its call, and its error is uncaught', async () => {
  const uncaught = collectUncaught();
  const listeners = new Listeners();
  const listener = vi.fn<() => void>();
  for (const added of [failing, listener]) listeners.add(added);
  listeners.notify();
  await expect.poll(() => uncaught).toEqual([fault]);
  listeners.notify();
  await expect.poll(() => uncaught).toEqual([fault, fault]);
  expect(listener).toHaveBeenCalledTimes(2);
});

test('a conversation whose subscriber throws is opened, and leaves its room', async () => {
  collectUncaught();
  const { room, conversation, connection } = makeConversation();
  conversation.timeline.subscribe(failing);
  await conversation.open();
  await expect.poll(connection).toBe('live');
  await conversation.close();
  expect(room.hasLeft).toBe(true);
});
