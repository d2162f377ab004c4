import type { RoomMessage } from '@session/contract/room';
import { expect, test } from 'vitest';
import type { QueuedMessage } from '../message-path.ts';
import { MessageQueue } from './message-queue.ts';

/** Returns a message that counts as 500 bytes, and two more for each character. */
function message(sessionId: string, id: number, content = ''): RoomMessage {
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

const idOf = (queued: QueuedMessage) =>
  'id' in queued ? Number(queued.id) : [queued.receivedAt, queued.until, queued.count];

test('past the limit the oldest messages of the noisiest session are dropped, and a mark stands in their position', () => {
  const shed: [string, number][] = [];
  const queue = new MessageQueue(20 * 500, (...dropped) => shed.push(dropped));
  queue.push(message('quiet', 0));
  for (let id = 1; id <= 23; id += 1) queue.push(message('noisy', id));
  expect(shed).toEqual([
    ['noisy', 3],
    ['noisy', 3],
  ]);
  expect(queue.take(4, 1e9).map(idOf)).toEqual([0, [1, 6, 6], 7, 8]);
});

test('where no session is noisy, each loses one message', () => {
  const shed = new Map<string, number>();
  const queue = new MessageQueue(20 * 500, (sessionId, count) => shed.set(sessionId, count));
  for (let id = 0; id <= 20; id += 1) queue.push(message(`session ${id}`, id));
  expect(new Set(shed.values())).toEqual(new Set([1]));
});

test('large messages are bounded by their size, not only by their number', () => {
  let shed = 0;
  const queue = new MessageQueue(1_000_000, (_, count) => {
    shed += count;
  });
  for (let id = 0; id < 100; id += 1) queue.push(message('s', id, 'x'.repeat(60_000)));
  expect(queue.length).toBeLessThan(10);
  expect(queue.length - 1 + shed).toBe(100);
});

test('a message is in the queue until it is taken, and again after it was put back', () => {
  const queue = new MessageQueue(1e9, () => {});
  queue.push(message('a', 1));
  queue.push(message('b', 2));
  const taken = queue.take(1, 1e9);
  expect(queue.messages.map(idOf)).toEqual([2]);
  queue.putBack(taken);
  expect(queue.messages.map(idOf)).toEqual([1, 2]);
  expect(queue.take(2, 1e9).map(idOf)).toEqual([1, 2]);
});

test('a batch may be as large as its limit', () => {
  const queue = new MessageQueue(1e9, () => {});
  for (let id = 1; id <= 4; id += 1) queue.push(message('a', id));
  expect(queue.take(4, 999).map(idOf)).toEqual([1]);
  expect(queue.take(4, 1000).map(idOf)).toEqual([2, 3]);
});
