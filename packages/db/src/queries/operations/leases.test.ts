import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { claimLease, releaseLease } from './leases.ts';

test('of three processes one gets the lease and renews it; the next holder has a greater fence', async ({
  project,
}) => {
  const holders = [uuidv7(), uuidv7(), uuidv7()];
  const fences = await Promise.all(
    holders.map((holder) => claimLease(project, 'reconciler', holder)),
  );
  expect(fences.filter((fence) => fence !== undefined)).toEqual([1]);
  const leader = holders[fences.indexOf(1)] ?? '';
  const next = holders.find((holder) => holder !== leader) ?? '';
  expect(await claimLease(project, 'reconciler', leader)).toBe(1);
  await releaseLease(project, 'reconciler', next);
  expect(await claimLease(project, 'reconciler', next)).toBeUndefined();
  await releaseLease(project, 'reconciler', leader);
  expect(await claimLease(project, 'reconciler', next)).toBe(2);
  await project.sql`update leases set expires_at = now() - interval '1 s'`;
  expect(await claimLease(project, 'reconciler', leader)).toBe(3);
});

test('duties are led apart: a lease of one says nothing of another', async ({ project }) => {
  const [first, second] = [uuidv7(), uuidv7()];
  expect(await claimLease(project, 'reconciler', first)).toBe(1);
  expect(await claimLease(project, 'housekeeping', second)).toBe(1);
  await releaseLease(project, 'housekeeping', first);
  expect(await claimLease(project, 'housekeeping', first)).toBeUndefined();
});

test('a lease lasts 15 s from the last renewal, and not a moment longer', async ({ project }) => {
  const [holder, other] = [uuidv7(), uuidv7()];
  await inTransaction(project, async (moment) => {
    // In a transaction `now()` stands still.
    await claimLease(moment, 'reconciler', holder);
    const seconds = await moment.sql`
      select round(extract(epoch from expires_at - now()), 2)::float8 as seconds from leases`;
    expect(seconds).toEqual([{ seconds: 15 }]);
    await moment.sql`update leases set expires_at = now() + interval '2 ms'`;
    expect(await claimLease(moment, 'reconciler', other)).toBeUndefined();
    expect(await claimLease(moment, 'reconciler', holder)).toBe(1);
    await moment.sql`update leases set expires_at = now() - interval '2 ms'`;
    expect(await claimLease(moment, 'reconciler', other)).toBe(2);
    expect(await claimLease(moment, 'reconciler', holder)).toBeUndefined();
  });
});

test('a holder that lost and won the lease again has a greater fence than all before', async ({
  project,
}) => {
  const holders = [uuidv7(), uuidv7(), uuidv7()];
  const fences: (number | undefined)[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const holder = holders[turn % 3] ?? '';
    fences.push(await claimLease(project, 'reconciler', holder));
    await releaseLease(project, 'reconciler', holder);
  }
  expect(fences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('one of eight that claim an expired lease at the same moment gets it', async ({ project }) => {
  await claimLease(project, 'reconciler', uuidv7());
  await project.sql`update leases set expires_at = now() - interval '1 s'`;
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => claimLease(project, 'reconciler', uuidv7())),
  );
  expect(claims.filter((fence) => fence !== undefined)).toEqual([2]);
});
