import { claimLease, openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fakeDatabase } from '../../testing/answered-database.ts';
import { BackgroundLease } from './background-lease.ts';
import { ShutdownBudget } from './shutdown-budget.ts';

const rest = {
  shutdown: new ShutdownBudget(2000),
  log: { error: () => {}, info: () => {}, warn: () => {} },
};

test('one process leads; when it stops, the next one leads and is notified', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const lead = () =>
    new BackgroundLease({
      database: client,
      name: 'duty',
      processId: uuidv7(),
      renewMs: 10,
      ...rest,
    });
  const first = lead();
  await expect.poll(() => first.isHeld).toBe(true);
  await using second = lead();
  const gained = Promise.withResolvers<void>();
  second.onGained(gained.resolve);
  for (let count = 0; count < 5; count += 1) await claimLease(client, 'other', uuidv7());
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);
  await first[Symbol.asyncDispose]();
  expect(first.isHeld).toBe(false);
  await gained.promise;
  expect(second.isHeld).toBe(true);
});

/** Returns a lease whose statement answers as `claim` says, in virtual time. */
function virtualLease(claim: () => Promise<number | undefined>) {
  startVirtualTime();
  const database = fakeDatabase(async (statement) => {
    const fence = statement === 'claim_lease' ? await claim() : undefined;
    return fence === undefined ? [] : [{ fence: `${fence}` }];
  });
  return new BackgroundLease({ database, name: 'duty', processId: 'one', renewMs: 5000, ...rest });
}

test('a leader that cannot reach the database stops leading 3 s before another process may begin', async () => {
  let isAway = false;
  await using leader = virtualLease(async () => {
    if (isAway) throw new Error('away');
    return 1;
  });
  await passTime(1);
  isAway = true;
  await passTime(11_998);
  expect(leader.isHeld).toBe(true);
  await passTime(1);
  expect(leader.isHeld).toBe(false);
});

test('the lease counts from when it was asked for, not from a late answer, and is asked for again 5 s after that', async () => {
  const answer = Promise.withResolvers<number>();
  const asked: number[] = [];
  await using leader = virtualLease(async () => {
    asked.push(performance.now());
    return asked.length === 1 ? await answer.promise : await Promise.reject(new Error('away'));
  });
  await passTime(4000);
  answer.resolve(1);
  await passTime(7999);
  expect(leader.isHeld).toBe(true);
  await passTime(1);
  expect(leader.isHeld).toBe(false);
  expect(asked.map((at) => at - (asked[0] ?? 0))).toEqual([0, 9000]);
});

test('a process that another one has replaced stops leading with the answer that says so', async () => {
  const fences = [1, 1, undefined, 3];
  let gained = 0;
  await using lease = virtualLease(async () => fences.shift());
  const began = performance.now();
  lease.onGained(() => {
    gained += 1;
  });
  await passTime(9999);
  expect([lease.isHeld, gained, lease.heldSince - began]).toEqual([true, 1, 0]);
  await passTime(1);
  expect([lease.isHeld, gained]).toEqual([false, 1]);
  await passTime(5000);
  expect([lease.isHeld, gained, lease.heldSince - began]).toEqual([true, 2, 15_000]);
});
