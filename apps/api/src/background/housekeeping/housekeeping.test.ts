import { setImmediate } from 'node:timers/promises';
import { aborted } from '@session/kit';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { type Chores, Housekeeping } from './housekeeping.ts';

const EVERY_MS = 1000;

beforeEach(() => startVirtualTime());

function keepHouse(chore: Chores[string], isLeading = () => true) {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(line);
  const log = { error: write, info: write, warn: write };
  const shutdown = new ShutdownBudget(60_000);
  const chores = { sweep: chore };
  const house = new Housekeeping({ chores, isLeading, everyMs: EVERY_MS, shutdown, log });
  return { lines, [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() };
}

test('a chore is done again and again, but only by the process that leads', async () => {
  let [count, leads] = [0, false];
  const chore = async () => {
    count += 1;
    return [`room ${count}`];
  };
  await using house = keepHouse(chore, () => leads);
  await passTime(3 * EVERY_MS);
  expect(count).toBe(0);
  leads = true;
  await passTime(EVERY_MS - 1);
  expect(count).toBe(0);
  await passTime(1);
  expect(count).toBe(1);
  await passTime(2 * EVERY_MS);
  expect(count).toBe(3);
  const done = { chore: 'sweep', count: 1, done: ['room 1'] };
  expect(house.lines[0]).toEqual([done, 'housekeeping done']);
});

test('of what a chore has done, a line of the log names fifty', async () => {
  const rooms = Array.from({ length: 51 }, (_, number) => `room ${number}`);
  await using house = keepHouse(async () => rooms);
  await passTime(EVERY_MS);
  const done = { chore: 'sweep', count: 51, done: rooms.slice(0, 50) };
  expect(house.lines[0]).toEqual([done, 'housekeeping done']);
});

test('the pause begins when the chore has ended: a slow chore is not done twice at a time', async () => {
  const gate = Promise.withResolvers<string[]>();
  let count = 0;
  const chore = async () => {
    count += 1;
    return await gate.promise;
  };
  await using _ = keepHouse(chore);
  await passTime(3 * EVERY_MS);
  expect(count).toBe(1);
  gate.resolve([]);
  await passTime(EVERY_MS - 1);
  expect(count).toBe(1);
  await passTime(1);
  expect(count).toBe(2);
});

test('a failed chore is retried, and a long failure is one line in the log', async () => {
  let isAway = true;
  const chore = async () => {
    if (isAway) throw new Error('away');
    return [];
  };
  await using house = keepHouse(chore);
  await passTime(3 * EVERY_MS);
  const failure = [{ chore: 'sweep', err: new Error('away') }, 'housekeeping failed, retrying'];
  expect(house.lines).toEqual([failure]);
  isAway = false;
  await passTime(EVERY_MS);
  isAway = true;
  await passTime(EVERY_MS);
  expect(house.lines).toEqual([failure, failure]);
});

test('disposal ends a chore that heeds its signal', async () => {
  const house = keepHouse(async (stop) => {
    await aborted(stop);
    return ['half of it'];
  });
  await passTime(EVERY_MS);
  await house[Symbol.asyncDispose]();
  const done = { chore: 'sweep', count: 1, done: ['half of it'] };
  expect(house.lines).toEqual([[done, 'housekeeping done']]);
});

test('disposal waits for the chore that is under way', async () => {
  const gate = Promise.withResolvers<string[]>();
  const house = keepHouse(() => gate.promise);
  await passTime(1);
  const end = house[Symbol.asyncDispose]().then(() => 'ended');
  await passTime(EVERY_MS);
  expect(await Promise.race([end, setImmediate('still there')])).toBe('still there');
  gate.resolve([]);
  expect(await end).toBe('ended');
});
