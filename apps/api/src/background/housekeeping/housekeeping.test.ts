import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { Housekeeping } from './housekeeping.ts';

function keepHouse(chore: () => Promise<string[]>, isLeading = () => true) {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const log = { info: write, warn: write };
  const shutdown = new ShutdownBudget(60_000);
  const chores = { sweep: chore };
  const house = new Housekeeping({ chores, isLeading, everyMs: 1, shutdown, log });
  return { lines, [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() };
}

test('a chore is done again and again, but only by the process that leads', async () => {
  let [count, asked, leads] = [0, 0, false];
  const chore = async () => {
    count += 1;
    return [`room ${count}`];
  };
  const isLeading = () => {
    asked += 1;
    return leads;
  };
  await using house = keepHouse(chore, isLeading);
  await expect.poll(() => asked).toBeGreaterThan(2);
  expect(count).toBe(0);
  leads = true;
  await expect.poll(() => count).toBeGreaterThan(2);
  expect(house.lines[0]).toEqual([{ chore: 'sweep', done: ['room 1'] }, 'housekeeping']);
});

test('a failed chore is retried, and a long failure is one line in the log', async () => {
  let count = 0;
  const chore = async () => {
    count += 1;
    if (count < 4) throw new Error('away');
    return [];
  };
  await using house = keepHouse(chore);
  await expect.poll(() => count).toBeGreaterThan(4);
  const failure = { chore: 'sweep', err: new Error('away') };
  expect(house.lines).toEqual([[failure, 'housekeeping failed, and is retried']]);
});

test('disposal waits for the chore that is under way', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()];
  const chore = () => {
    begun.resolve();
    return gate.promise;
  };
  const house = keepHouse(chore);
  await begun.promise;
  const end = house[Symbol.asyncDispose]().then(() => 'ended');
  expect(await Promise.race([end, setImmediate('still there')])).toBe('still there');
  gate.resolve([]);
  expect(await end).toBe('ended');
});
