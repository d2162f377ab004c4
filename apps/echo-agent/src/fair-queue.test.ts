import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from './fair-queue.ts';

const waiting = (owner: string, item: number, size = 1): Waiting<number> => ({ owner, item, size });

function takeAll(queue: FairQueue<number>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(`${next.owner}${next.item}`);
  return taken;
}

test('each owner has a turn before anyone has a second one, each in their own order', () => {
  const queue = new FairQueue<number>(100);
  for (const item of [1, 2, 3]) queue.add(waiting('a', item));
  for (const item of [1, 2]) queue.add(waiting('b', item));
  queue.add(waiting('c', 1));
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('what is put back is the next one', () => {
  const queue = new FairQueue<number>(100);
  for (const item of [1, 2]) queue.add(waiting('a', item));
  queue.add(waiting('b', 1));
  const first = queue.take();
  if (first) queue.putBack(first);
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2']);
});

test('beyond its size the queue drops the oldest of the owner with the most, and says what', () => {
  const queue = new FairQueue<number>(10);
  queue.add(waiting('a', 1, 4));
  queue.add(waiting('b', 1, 3));
  queue.add(waiting('b', 2, 3));
  expect(queue.add(waiting('a', 2, 1))).toEqual([waiting('b', 1, 3)]);
  expect(takeAll(queue)).toEqual(['a1', 'b2', 'a2']);
});

test('an item that alone is too large is dropped', () => {
  const queue = new FairQueue<number>(10);
  expect(queue.add(waiting('a', 1, 11))).toHaveLength(1);
  expect(queue.take()).toBeUndefined();
});

test('whatever is added and taken: the size is bounded, and no item is lost or doubled', () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    size: fc.integer({ min: 1, max: 5 }),
    takes: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const queue = new FairQueue<number>(20);
      const out: Waiting<number>[] = [];
      let inside = 0;
      for (const [item, { owner, size, takes }] of steps.entries()) {
        const dropped = queue.add(waiting(owner, item, size));
        const taken = Array.from({ length: takes }, () => queue.take());
        const gone = [...dropped, ...taken.filter((each) => each !== undefined)];
        out.push(...gone);
        inside += size - gone.reduce((sum, each) => sum + each.size, 0);
        expect(inside).toBeLessThanOrEqual(20);
      }
      const rest = takeAll(queue).length;
      expect(out.length + rest).toBe(steps.length);
      expect(new Set(out.map(({ item }) => item)).size).toBe(out.length);
    }),
  );
});
