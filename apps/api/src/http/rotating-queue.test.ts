import { expect, test } from 'vitest';
import { RotatingQueue } from './rotating-queue.ts';

test('owners are served in rotation, however many tasks one of them has', async () => {
  const queue = new RotatingQueue(1);
  const started: string[] = [];
  const tasks = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
    queue.run(name.charAt(0), async () => void started.push(name)),
  );
  await Promise.all(tasks);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('no more tasks run at the same time than allowed, and a failed one makes room', async () => {
  const queue = new RotatingQueue(2);
  let running = 0;
  let most = 0;
  const tasks = Array.from({ length: 7 }, (_, index) =>
    queue.run(String(index), async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      if (index % 2 === 0) throw new Error('failed');
    }),
  );
  const ends = await Promise.allSettled(tasks);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(most).toBe(2);
});
