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

test('the parts of an owner take its turns in rotation, and get no more turns than another owner', async () => {
  const queue = new RotatingQueue(1);
  const started: string[] = [];
  const tasks = ['ax1', 'ax2', 'ax3', 'ax4', 'ay1', 'az1', 'b1', 'b2'].map((name) =>
    queue.run(name.charAt(0), async () => void started.push(name), name.slice(0, -1)),
  );
  await Promise.all(tasks);
  expect(started).toEqual(['ax1', 'ax2', 'b1', 'ay1', 'b2', 'az1', 'ax3', 'ax4']);
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

test('an owner with as many running tasks as one owner may have waits; others take the free places meanwhile', async () => {
  const queue = new RotatingQueue(3, 1);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const tasks = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1'].map((name) =>
    queue.run(name.charAt(0), async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }),
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
    return started.splice(0);
  };
  expect(started.splice(0)).toEqual(['a1', 'b1', 'c1']);
  expect(await end('c1')).toEqual(['d1']);
  expect(await end('d1')).toEqual([]);
  expect(await end('a1')).toEqual(['a2']);
  expect(await end('b1')).toEqual(['b2']);
  expect(await end('b2')).toEqual([]);
  expect(await end('a2')).toEqual(['a3']);
  await end('a3');
  await Promise.all(tasks);
});
