import type { Recordable } from '@session/contract/room';
import { expect, test } from 'vitest';
import { MessageQueue } from './message-queue.ts';

function message(sessionId: string, id: number, content = ''): Recordable {
  return {
    id: String(id),
    sessionId,
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant: null, source: 'user_text', rawId: null },
    receivedAt: id,
  };
}

test('past the limit the oldest of the noisiest session go, and each is counted', () => {
  const shed: [string, number][] = [];
  const limits = { messages: 20, bytes: 1e9 };
  const queue = new MessageQueue(limits, (...dropped) => shed.push(dropped));
  queue.push(message('quiet', 0));
  for (let id = 1; id <= 20; id += 1) queue.push(message('noisy', id));
  expect(shed).toEqual([['noisy', 3]]);
  expect(queue.length).toBe(18);
  expect(queue.take(3).map(({ id }) => id)).toEqual(['0', '4', '5']);
});

test('where no session is noisy, the oldest of all go', () => {
  const shed = new Map<string, number>();
  const limits = { messages: 20, bytes: 1e9 };
  const queue = new MessageQueue(limits, (sessionId, count) => shed.set(sessionId, count));
  for (let id = 0; id <= 20; id += 1) queue.push(message(`session ${id}`, id));
  expect([...shed.values()]).toEqual([1, 1, 1]);
  expect(queue.oldestAt).toBe(3);
});

test('large messages are bounded by their size, not only by their number', () => {
  let shed = 0;
  const queue = new MessageQueue({ messages: 1e6, bytes: 1_000_000 }, (_, count) => {
    shed += count;
  });
  for (let id = 0; id < 100; id += 1) queue.push(message('s', id, 'x'.repeat(60_000)));
  expect(queue.length).toBeLessThan(9);
  expect(queue.length + shed).toBe(100);
});

test('a session is in the queue until its last message is taken', () => {
  const queue = new MessageQueue({ messages: 9, bytes: 1e9 }, () => {});
  queue.push(message('a', 1));
  queue.push(message('b', 2));
  queue.take(1);
  expect([queue.has('a'), queue.has('b')]).toEqual([false, true]);
});
