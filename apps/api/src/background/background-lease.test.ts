import { openDatabase, prepareLeaseQueries } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { BackgroundLease } from './background-lease.ts';
import { ShutdownBudget } from './shutdown-budget.ts';

const rest = {
  shutdown: new ShutdownBudget(2000),
  log: { info: () => {}, warn: () => {} },
};

test('one process leads; when it stops, the next one leads and is notified', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url);
  const leases = prepareLeaseQueries(client);
  const lead = () =>
    new BackgroundLease({ leases, name: 'duty', processId: uuidv7(), renewMs: 10, ...rest });
  const first = lead();
  await expect.poll(() => first.isHeld).toBe(true);
  await using second = lead();
  const gained = Promise.withResolvers<void>();
  second.onGained(gained.resolve);
  for (let count = 0; count < 5; count += 1) await leases.claimLease('other', uuidv7());
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);
  await first[Symbol.asyncDispose]();
  expect(first.isHeld).toBe(false);
  await gained.promise;
  expect(second.isHeld).toBe(true);
});

test('a leader that cannot reach the database stops leading before another process may begin', async () => {
  await using database = await createTestDatabase();
  const client = openDatabase(database.url);
  const leases = prepareLeaseQueries(client);
  let now = 0;
  const options = { leases, name: 'duty', processId: uuidv7(), renewMs: 10, ...rest };
  await using leader = new BackgroundLease({ ...options, now: () => now });
  await expect.poll(() => leader.isHeld).toBe(true);
  await client[Symbol.asyncDispose]();
  now += 11_999;
  expect(leader.isHeld).toBe(true);
  now += 2;
  expect(leader.isHeld).toBe(false);
});
