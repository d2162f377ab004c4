import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { inTransaction } from '../../transaction.ts';
import { prepareLeaseQueries } from './leases.ts';

test('of three processes one gets the lease and renews it; the next holder has a greater fence', async ({
  project,
}) => {
  const leases = prepareLeaseQueries(project);
  const holders = [uuidv7(), uuidv7(), uuidv7()];
  const fences = await Promise.all(
    holders.map((holder) => leases.claimLease('reconciler', holder)),
  );
  expect(fences.filter((fence) => fence !== undefined)).toEqual([1]);
  const leader = holders[fences.indexOf(1)] ?? '';
  const next = holders.find((holder) => holder !== leader) ?? '';
  expect(await leases.claimLease('reconciler', leader)).toBe(1);
  await leases.releaseLease('reconciler', next);
  expect(await leases.claimLease('reconciler', next)).toBeUndefined();
  await leases.releaseLease('reconciler', leader);
  expect(await leases.claimLease('reconciler', next)).toBe(2);
  await project.sql`update leases set expires_at = now() - interval '1 s'`;
  expect(await leases.claimLease('reconciler', leader)).toBe(3);
});

test('duties are led apart: a lease of one says nothing of another', async ({ project }) => {
  const leases = prepareLeaseQueries(project);
  const [first, second] = [uuidv7(), uuidv7()];
  expect(await leases.claimLease('reconciler', first)).toBe(1);
  expect(await leases.claimLease('housekeeping', second)).toBe(1);
  await leases.releaseLease('housekeeping', first);
  expect(await leases.claimLease('housekeeping', first)).toBeUndefined();
});

test('a lease lasts 15 s from the last renewal, and not a moment longer', async ({ project }) => {
  const [holder, other] = [uuidv7(), uuidv7()];
  await inTransaction(project, async (moment) => {
    // In a transaction `now()` stands still.
    const leases = prepareLeaseQueries(moment);
    await leases.claimLease('reconciler', holder);
    const seconds = await moment.sql`
      select round(extract(epoch from expires_at - now()), 2)::float8 as seconds from leases`;
    expect(seconds).toEqual([{ seconds: 15 }]);
    await moment.sql`update leases set expires_at = now() + interval '2 ms'`;
    expect(await leases.claimLease('reconciler', other)).toBeUndefined();
    expect(await leases.claimLease('reconciler', holder)).toBe(1);
    await moment.sql`update leases set expires_at = now() - interval '2 ms'`;
    expect(await leases.claimLease('reconciler', other)).toBe(2);
    expect(await leases.claimLease('reconciler', holder)).toBeUndefined();
  });
});

test('a holder that lost and won the lease again has a greater fence than all before', async ({
  project,
}) => {
  const leases = prepareLeaseQueries(project);
  const holders = [uuidv7(), uuidv7(), uuidv7()];
  const fences: (number | undefined)[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const holder = holders[turn % 3] ?? '';
    fences.push(await leases.claimLease('reconciler', holder));
    await leases.releaseLease('reconciler', holder);
  }
  expect(fences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('one of eight that claim an expired lease at the same moment gets it', async ({ project }) => {
  const leases = prepareLeaseQueries(project);
  await leases.claimLease('reconciler', uuidv7());
  await project.sql`update leases set expires_at = now() - interval '1 s'`;
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => leases.claimLease('reconciler', uuidv7())),
  );
  expect(claims.filter((fence) => fence !== undefined)).toEqual([2]);
});
